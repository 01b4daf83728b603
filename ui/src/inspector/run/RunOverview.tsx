// The run inspector without a selection: the run's state, its outputs and its warnings.

import { commandById } from "../../commands";
import { showStep } from "../../commands/show-step";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import panelStyles from "../../components/Panel.module.css";
import messageStyles from "../../components/RunMessage.module.css";
import { tip } from "../../components/tip";
import { titleIn } from "../../kernels/node-title";
import { type RunState, type RunView, ranFor } from "../../runs/fold/model";
import { parsePath } from "../../runs/fold/path";
import { nodeTarget } from "../../runs/session/fork";
import { overBudgetRun } from "../../runs/session/over-budget";
import { stoppedPath } from "../../runs/session/stopped";
import { isUnfinished, sessionOf, useRuns } from "../../runs/session/store";
import { useChoice } from "../../runs/view/shown";
import {
  cutOffWords,
  formatCost,
  formatCount,
  formatDuration,
  plural,
  totalTokens,
} from "../../runs/words/format";
import { outputFormat } from "../../runs/words/outputs";
import { useNow } from "../../session/clock";
import { openApproval } from "../../trust/approval-sheet";
import { FailureActions } from "./FailureActions";
import { Origin } from "./Origin";
import { Plain } from "./OutputTab";
import styles from "./RunOverview.module.css";
import { RunWarnings } from "./RunWarnings";
import statStyles from "./StatGrid.module.css";
import { RunChip } from "./StatusChip";
import { valueText } from "./values";

export function RunOverview({ view }: { view: RunView }) {
  const { state } = view;
  const { store } = sessionOf(state.runId);
  const isOfDocument = useRuns((s) => s.past === null);
  const starting = useRuns((s) => s.starting);
  // The hook re-renders this component when another iteration is chosen, since the chosen iteration
  // determines what is run again.
  useChoice();
  const outputs = Object.entries((state.outputs ?? {}) as Record<string, unknown>);
  return (
    <>
      <header>
        <span className={classes(iconTileStyles.iconTile, "category-flow", iconTileStyles.lg)}>
          <Icon name="workflow" size={18} />
        </span>
        <div className="grow">
          <b>{state.name || "Run"}</b>
          <span className={classes(panelStyles.caption, "text-tertiary")}>
            {view.live || isUnfinished(view) ? "this run" : "a past run, read only"}
            {store !== null && `, in ${store}`}
          </span>
        </div>
        <RunChip status={state.status} />
      </header>
      <Origin runId={state.runId} document={view.document} />
      {/* A stop by the user is not shown as an error. */}
      {state.error && (
        <div
          className={classes(
            messageStyles.message,
            state.status === "cancelled" ? messageStyles.quiet : messageStyles.hasError,
          )}
          role={state.status === "cancelled" ? "status" : "alert"}
        >
          <Icon name={state.status === "cancelled" ? "circle-slash-2" : "circle-alert"} />
          <span>
            <Message text={state.error.message} />
          </span>
          <FailureActions
            code={state.error.code}
            nodeId={state.error.nodeId}
            isOfDocument={view.live && isOfDocument}
            canRetry={
              state.status === "failed" &&
              state.error.nodeId !== null &&
              (nodeTarget(state.error.nodeId)?.failed ?? false)
            }
          />
        </div>
      )}
      {stoppedPath(state) !== null && (
        <div className={panelStyles.section}>
          <Button
            icon="play"
            disabled={starting}
            {...tip(
              "Starts a new run that continues where this one stopped. Finished work is reused and not charged again.",
            )}
            data-testid="continue-stopped"
            onClick={() => void commandById("run.continue").run()}
          >
            Continue
          </Button>
        </div>
      )}
      {state.status === "interrupted" && (
        <div className={panelStyles.section}>
          <Button
            icon="rotate-ccw"
            data-testid="resume-shown-run"
            onClick={() => void commandById("run.continue").run()}
          >
            Resume the run
          </Button>
        </div>
      )}
      {overBudgetRun(state) !== null && (
        <div className={panelStyles.section}>
          <Button
            icon="coins"
            data-testid="larger-budget"
            onClick={() => void commandById("run.largerBudget").run()}
          >
            Continue with a larger budget…
          </Button>
        </div>
      )}
      <WaitingRows view={view} />
      <RunWarnings warnings={state.warnings} />
      <RunStats state={state} />
      {outputs.map(([name, value]) => (
        <section
          key={name}
          className={styles.output}
          aria-label={`Output ${name}`}
          data-testid={`run-output-${name}`}
        >
          <Plain
            note={<h4>{name}</h4>}
            text={valueText(value)}
            streaming={false}
            markdown={outputFormat(view.document, name) === "markdown"}
          />
        </section>
      ))}
      <p className={noteStyles.note}>Select a node to see its inputs and outputs, iteration by iteration.</p>
    </>
  );
}

/** Lists the steps that wait for a person, except the shown node's. */
export function WaitingRows({ view, shown }: { view: RunView; shown?: string }) {
  const paths = view.state.waiting.filter((path) => parsePath(path).at(-1)?.id !== shown);
  return paths.map((path) => <WaitingStep key={path} view={view} path={path} />);
}

/** Shows a waiting step: the name of its node, with a link to it. */
function WaitingStep({ view, path }: { view: RunView; path: string }) {
  // For a step inside a subflow the subflow's node is shown, because this document contains only that node.
  const segments = parsePath(path);
  const inside = segments.find((segment) => segment.iteration === null);
  const last = segments.at(-1)?.id ?? path;
  const label = titleIn(view.document, inside?.id ?? last);
  const name = inside && inside.id !== last ? `“${last}” in ${label}` : label;
  return (
    <div className={classes(messageStyles.message, messageStyles.warn)} role="status">
      <Icon name="circle-pause" />
      <span>{name} waits for your answer.</span>
      <span className="grow" />
      <Button
        small
        onClick={async () => {
          await showStep(path);
          openApproval({ runId: view.state.runId, path });
        }}
      >
        Review
      </Button>
    </div>
  );
}

function RunStats({ state }: { state: RunState }) {
  const now = useNow("panel", state.status === "running");
  const ms = ranFor(state, now);
  const { usage } = state;
  return (
    <dl className={statStyles.stats}>
      <div>
        <dt>Time</dt>
        <dd>{formatDuration(ms)}</dd>
      </div>
      <div>
        <dt>Model calls</dt>
        <dd>
          {formatCount(usage.calls)}
          {cutOffWords(usage) && <small>{cutOffWords(usage)}</small>}
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>
          {usage.calls === 0 ? "–" : formatCost(usage)}
          {usage.calls > 0 && usage.cost_usd === 0 && <small>(built-in)</small>}
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{formatCount(totalTokens(usage))}</dd>
      </div>
      <div>
        <dt>Loops</dt>
        <dd>{formatCount(state.loopIds.length)}</dd>
      </div>
      <div>
        <dt>Warnings</dt>
        <dd>{state.warnings.length === 0 ? "none" : plural(state.warnings.length, "warning")}</dd>
      </div>
    </dl>
  );
}
