// Run mode: the result of one node at the shown iteration, and how it differs from the previous iteration's.
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import panelStyles from "../../components/Panel.module.css";
import messageStyles from "../../components/RunMessage.module.css";
import tabsStyles from "../../components/Tabs.module.css";
import { tip } from "../../components/tip";
import { useKind } from "../../document/kinds";
import type { FlowNode } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import type { Iteration, LoopRecord, RunView, Step } from "../../runs/fold/model";
import { isActive } from "../../runs/fold/status";
import { modelName } from "../../runs/inputs/models";
import { useRuns } from "../../runs/session/store";
import { useChoice, useRunPart, useShownRun } from "../../runs/view/shown";
import { loopAround, placeOf, shownIteration, shownLoop, stepIn } from "../../runs/view/view";
import { hasWorkspace, useLoopWorkspace } from "../../runs/workspace/loop-workspace";
import { type InspectorTab, tabsOf, useInspectorView } from "../../session/inspector-view";
import { testIds } from "../../testids";
import { ChangesTab } from "../changes/ChangesTab";
import { NodeTile } from "../NodeSettings";
import { BudgetMeter } from "./BudgetMeter";
import { CopyStep } from "./CopyStep";
import { FailureActions } from "./FailureActions";
import { ForkPopover } from "./ForkPopover";
import { InspFoot } from "./InspFoot";
import { IterationPips } from "./IterationPips";
import { LoopOutput } from "./LoopOutput";
import { OutputTab } from "./OutputTab";
import { Parked, Retrying, Silent } from "./Retrying";
import styles from "./RunInspector.module.css";
import { RunOverview, WaitingRows } from "./RunOverview";
import { StatGrid } from "./StatGrid";
import { StepChip } from "./StatusChip";
import { TranscriptTab } from "./Transcript";
import { EventsTab, InputTab, PromptTab, RawTab } from "./tabs";
import { WaitingPanel } from "./WaitingPanel";

export function RunInspector({ nodeId }: { nodeId: string | null }) {
  const view = useShownRun();
  const node = nodeId === null ? undefined : view?.document.nodes.find((n) => n.id === nodeId);
  return (
    <aside className={classes(panelStyles.side, styles.inspector)} aria-label="Inspector" data-region="side">
      {view === null ? (
        <p className={noteStyles.note}>Nothing has run yet.</p>
      ) : node ? (
        <NodeRunView view={view} node={node} />
      ) : (
        <RunOverview view={view} />
      )}
      {view !== null && <BudgetMeter />}
      {node && <InspFoot nodeId={node.id} />}
      <ForkPopover />
    </aside>
  );
}

function NodeRunView({ view, node }: { view: RunView; node: FlowNode }) {
  const kind = useKind(node.type);
  const choice = useChoice();
  const place = useRunPart((run) => placeOf(run, choice, node.id)?.iteration ?? null, null);
  const step = useRunPart((run) => placeOf(run, choice, node.id)?.scope.steps[node.id] ?? null, null);
  // The model that answers is known only after the answer. Until then the model of the previous iteration is
  // shown.
  const model = useRunPart(
    (run) => step?.model ?? (place && stepIn(run, choice, node.id, place.number - 1)?.model) ?? null,
    null,
  );
  const chain = useRunPart((run) => run.chains[node.id], undefined) ?? [];
  const loops = step?.loop ? [...chain, node.id] : chain;
  return (
    <>
      <header>
        <NodeTile kind={kind} />
        <div className="grow">
          <b>{titleIn(view.document, node.id)}</b>
          <span className={classes(panelStyles.caption, "text-tertiary")} {...tip(model ?? undefined)}>
            {[kind?.title ?? node.type, model && modelName(model)].filter(Boolean).join(" · ")}
          </span>
        </div>
        <StepChip step={step} />
        {step !== null && step.status !== "skipped" && (
          <CopyStep runId={view.state.runId} step={step} label={titleIn(view.document, node.id)} />
        )}
      </header>
      <WaitingRows view={view} shown={node.id} />
      {loops.map((loopId, i) => (
        <IterationPips
          key={loopId}
          loopId={loopId}
          label={titleIn(view.document, loopId)}
          first={i === loops.length - 1}
          named={loops.length > 1}
        />
      ))}
      {step?.status === "waiting" && (
        <WaitingPanel key={step.path} runId={view.state.runId} step={step} type={node.type} />
      )}
      {step === null || step.status === "skipped" ? (
        <NotRun step={step} iteration={place} running={isActive(view.state.status)} />
      ) : (
        <StepTabs view={view} step={step} iteration={place} />
      )}
    </>
  );
}

function LoopChanges({ view, loop, shown }: { view: RunView; loop: LoopRecord; shown: number }) {
  const { runId } = view.state;
  const { workspace, problem } = useLoopWorkspace(runId, loop, view.document);
  const of = { runId, path: loop.path, shown, count: loop.iterations.length };
  return <ChangesTab of={of} workspace={workspace} problem={problem} />;
}

function NotRun({
  step,
  iteration,
  running,
}: {
  step: Step | null;
  iteration: Iteration | null;
  running: boolean;
}) {
  const waits = step === null && running && (iteration === null || iteration.status === "running");
  const reason =
    step?.reason ?? (waits ? "Waiting for the nodes before this one." : "The run did not reach this node.");
  return (
    <div className={styles.notRun} data-testid="not-run">
      <b>
        {waits ? "Has not run yet" : `Did not run${iteration ? ` in iteration ${iteration.number}` : ""}`}
      </b>
      <p>{reason}</p>
      {step?.skipCause === "last_iteration" && (
        <p>
          This node only prepares the next iteration. It was skipped after the last iteration to save a call.
        </p>
      )}
    </div>
  );
}

/** Returns the tab to show instead of the chosen one, if the step lacks that tab or its content. */
const shownInstead = (isAtWork: boolean): InspectorTab => (isAtWork ? "transcript" : "output");

function StepTabs({ view, step, iteration }: { view: RunView; step: Step; iteration: Iteration | null }) {
  const { tab: chosen, setTab } = useInspectorView();
  const withFiles = step.loop !== null && hasWorkspace(view.document, step.nodeId);
  const tabs = tabsOf({ transcript: step.activity !== null, files: withFiles });
  // While an agent works there is no output, so its transcript is shown in place of it.
  const isAtWork = step.status === "running" && step.activity !== null;
  // A chosen tab that this node does not have stays chosen for others.
  const tab = tabs.includes(chosen) && !(chosen === "output" && isAtWork) ? chosen : shownInstead(isAtWork);
  const choice = useChoice();
  const runId = view.state.runId;
  const isOfDocument = useRuns((s) => s.past === null);
  const log = useRunPart((run) => run.log, []);
  const events = log.filter((e) => e.path === step.path);
  const loopIteration = step.loop ? shownIteration(step.loop, choice) : null;
  const around = loopAround(view.state, step.nodeId);
  const grows = tab === "output" && step.status === "running" && step.loop === null;
  const loop = step.loop ?? (around === null ? null : shownLoop(view.state, choice, around));
  return (
    <>
      <div
        className={classes(tabsStyles.tabs, styles.tabs, step.activity !== null && styles.many)}
        role="tablist"
        aria-label="What to show"
        onKeyDown={(e) => {
          const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
          const next =
            by === undefined ? undefined : tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length];
          if (next === undefined) return;
          setTab(next);
          e.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
        }}
      >
        {tabs.map((name) => (
          <button
            type="button"
            key={name}
            role="tab"
            aria-selected={name === tab}
            tabIndex={name === tab ? 0 : -1}
            data-testid={testIds.inspectorTab(name)}
            onClick={() => setTab(name)}
          >
            {name.charAt(0).toUpperCase() + name.slice(1)}
            {name === "events" && <span className={tabsStyles.count}>{events.length}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" className={classes(styles.body, grows && styles.grows)} aria-label={tab}>
        {step.error && (
          <div
            className={classes(
              messageStyles.message,
              step.status === "cancelled" ? messageStyles.quiet : messageStyles.hasError,
            )}
            role={step.status === "cancelled" ? "status" : "alert"}
          >
            <span>
              <Message text={step.error.message} />
              <small className={styles.errorCode} data-testid="error-code">
                {step.error.code}
              </small>
            </span>
            <FailureActions
              code={step.error.code}
              nodeId={step.nodeId}
              isOfDocument={view.live && isOfDocument}
              canRetry={step.status === "failed"}
            />
          </div>
        )}
        {step.status === "running" && step.retried && <Retrying step={step} retried={step.retried} />}
        {step.status === "running" && step.parked && <Parked id={step.nodeId} parked={step.parked} />}
        {step.status === "running" && step.silence && <Silent id={step.nodeId} silence={step.silence} />}
        {tab === "changes" && step.loop && (
          <LoopChanges view={view} loop={step.loop} shown={loopIteration?.number ?? 1} />
        )}
        {tab === "input" && <InputTab runId={runId} step={step} />}
        {tab === "output" &&
          (step.loop ? (
            <LoopOutput runId={runId} loop={step.loop} iteration={loopIteration} />
          ) : (
            <OutputTab runId={runId} step={step} iteration={iteration} />
          ))}
        {tab === "transcript" && <TranscriptTab runId={runId} step={step} />}
        {tab === "prompt" && <PromptTab runId={runId} step={step} />}
        {tab === "raw" && <RawTab runId={runId} step={step} />}
        {tab === "events" && <EventsTab run={view.state} events={events} />}
      </div>
      <StatGrid
        step={step}
        iteration={loopIteration ?? iteration}
        loop={loop}
        runId={runId}
        document={view.document}
      />
    </>
  );
}
