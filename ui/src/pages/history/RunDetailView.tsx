// One past run: its result, iterations by node, and outputs. It can be reopened on the canvas.

import { useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import buttonStyles from "../../components/Button.module.css";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { Markdown } from "../../components/Markdown";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import messageStyles from "../../components/RunMessage.module.css";
import { Select } from "../../components/Select";
import { Skeletons } from "../../components/Skeletons";
import { tip } from "../../components/tip";
import { useFocusBack } from "../../components/use-focus-back";
import { useKinds } from "../../document/kinds";
import { CopyButton } from "../../inspector/run/DiffView";
import { RunWarnings } from "../../inspector/run/RunWarnings";
import { PlaceChip, RequestChip, RunChip } from "../../inspector/run/StatusChip";
import { valueText } from "../../inspector/run/values";
import { api } from "../../ipc/client";
import type { FlowDoc, RunDetail, RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import type { RunState } from "../../runs/fold/model";
import { placeWords } from "../../runs/fold/path";
import { isUnfinishedStatus } from "../../runs/fold/status";
import { inputsInEffect } from "../../runs/inputs/inputs";
import { modelsIn } from "../../runs/inputs/models";
import { sessionOf } from "../../runs/session/store";
import { shownLoop } from "../../runs/view/view";
import {
  cutOffWords,
  exitTitle,
  formatAgo,
  formatClockToSecond,
  formatCost,
  formatCount,
  formatDay,
  formatDuration,
  formatUsd,
  totalTokens,
} from "../../runs/words/format";
import { outputFormat } from "../../runs/words/outputs";
import { Menu } from "../../shell/Menu";
import { keepTest } from "../evaluate/keep-test";
import {
  compareWithOriginal,
  deleteRun,
  exportRun,
  forkRun,
  openRun,
  renameRun,
  runAgain,
  starRun,
  verifyRun,
} from "./actions";
import { RestingBanner } from "./Banner";
import { CompareCard } from "./CompareCard";
import { candidates } from "./compare";
import { NO_FILTER, toQuery } from "./filter";
import { HeatCard } from "./HeatCard";
import { Letter } from "./Letter";
import styles from "./RunDetailView.module.css";
import { useHistory, useLabel } from "./store";
import { usePastRun } from "./use-past-run";

/**
 * Shows the detail of a run. `status` is the run's status in the list. When it changes, the run is loaded
 * again.
 */
export function RunDetailView({ runId, status }: { runId: string; status: RunStatus | undefined }) {
  // If a store does not answer, a line next to the list says so; it is not repeated here.
  const isHere = useHistory((s) => s.where === null);
  const isReached = useHistory((s) => s.where === null || s.failure === null);
  const { detail, state, failure, need } = usePastRun(runId, status, isReached);
  const compared = useHistory((s) => s.compared);
  const kinds = useKinds((s) => s.kinds);
  if (failure !== null && isReached && (isHere || detail === null)) {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        This run could not be read: {failure}
      </p>
    );
  }
  if (!isReached && (detail === null || state === null)) return null;
  if (detail === null || state === null) return <Skeletons label="Reading the run" lines={6} />;
  const { summary } = detail;
  const isStopped = summary.status === "cancelled";
  return (
    <>
      <RestingBanner summary={summary} />
      <Head detail={detail} state={state} compared={compared} />
      <Kpis detail={detail} state={state} />
      {/* A stop by the user is not shown as an error. */}
      {detail.error && (
        <div
          className={classes(
            messageStyles.message,
            messageStyles.wide,
            isStopped ? messageStyles.quiet : messageStyles.hasError,
          )}
          role={isStopped ? "status" : "alert"}
        >
          <Icon name={isStopped ? "circle-slash-2" : "circle-alert"} />
          <span>
            <Message text={detail.error.message} />
          </span>
        </div>
      )}
      <RunWarnings warnings={summary.warnings} wide />
      {state.loopIds.length > 0 && (
        <HeatCard
          state={state}
          document={detail.document}
          need={need}
          onOpen={(at) => void openRun(runId, at)}
        />
      )}
      {compared !== null && <CompareCard a={runId} stateA={state} document={detail.document} b={compared} />}
      <Values title="Output" values={detail.outputs} document={detail.document} />
      <Values
        title="Input"
        values={inputsInEffect(detail.document, kinds, detail.inputs)}
        document={detail.document}
      />
    </>
  );
}

type HeadProps = {
  detail: RunDetail;
  state: RunState;
  compared: string | null;
};

function Head({ detail, state, compared }: HeadProps) {
  const { summary, origin, pins, until } = detail;
  const { runId } = summary;
  // The iterations of the first loop are offered as fork points.
  const loop = state.loopIds[0] ?? null;
  const models = useMemo(() => modelsIn(state), [state]);
  const began = formatAgo(Date.parse(summary.startedAt), Date.now());
  const label = useLabel(summary);
  const run = { ...summary, ...label };
  const naming = useHistory((s) => s.naming === runId);
  const about = [
    label.name !== null && summary.flow,
    began,
    models,
    summary.schedule !== null && `started by the schedule “${summary.schedule}”`,
    origin && `a fork made at ${placeWords(origin.at, detail.document)}`,
    Object.keys(pins).length > 0 && `${Object.keys(pins).length} pinned`,
    until && `run to “${titleIn(detail.document, until)}”`,
  ];
  return (
    <div className={styles.head}>
      {compared !== null && <Letter mark="A" />}
      {naming ? (
        <NameField run={run} />
      ) : (
        <h1 {...tip(label.name ?? summary.flow)}>{label.name ?? summary.flow}</h1>
      )}
      <IconButton
        icon="star"
        size={15}
        label={label.starred ? "Remove the star" : "Star this run"}
        hint="S"
        on={label.starred}
        className={styles.star}
        onClick={() => void starRun(run, !label.starred)}
      />
      <PlaceChip runId={runId} />
      <RunChip status={summary.status} />
      <RequestChip runId={runId} />
      <span className={classes("text-tertiary", styles.about)}>{about.filter(Boolean).join(", ")}</span>
      <span className="grow" />
      <div className={styles.actions}>
        {origin && compared !== origin.runId && (
          <Button onClick={() => compareWithOriginal(runId, origin.runId)}>Compare with original</Button>
        )}
        <ComparePicker summary={summary} value={compared} />
        <div className={styles.actions}>
          <Button icon="workflow" data-testid="open-on-canvas" onClick={() => void openRun(runId)}>
            Open on canvas
          </Button>
          {loop !== null && (
            <Button icon="git-fork" data-testid="fork-past" onClick={() => void forkRun(runId, loop)}>
              Fork from iteration…
            </Button>
          )}
          <Menu
            label="More about this run"
            className={classes(buttonStyles.iconButton)}
            items={[
              {
                id: "rename",
                label: "Rename…",
                hint: "F2",
                icon: "pencil",
                run: () => useHistory.getState().setNaming(runId),
              },
              { id: "verify", label: "Replay and verify", icon: "repeat", run: () => void verifyRun(runId) },
              {
                id: "again",
                label: sessionOf(runId).runAgainLabel,
                icon: "play",
                run: () => void runAgain(runId),
              },
              {
                id: "test",
                label: "Keep as test…",
                icon: "shield-check",
                disabled: summary.status !== "completed",
                run: () => void keepTest(summary),
              },
              { id: "export", label: "Export…", icon: "download", run: () => void exportRun(summary) },
              { id: "delete", label: "Delete…", icon: "trash-2", run: () => void deleteRun(summary) },
            ]}
          >
            <Icon name="ellipsis" size={16} />
          </Menu>
        </div>
      </div>
    </div>
  );
}

/** The field for the run's name. Enter or leaving the field saves the name; Escape discards it. */
function NameField({ run }: { run: RunSummary }) {
  const [name, setName] = useState(run.name ?? "");
  const box = useRef<HTMLFormElement>(null);
  const isDone = useRef(false);
  useFocusBack(box, () => document.querySelector<HTMLElement>('[role="listbox"]')?.focus());
  useEffect(() => box.current?.querySelector("input")?.select(), []);
  const end = (isKept: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    useHistory.getState().setNaming(null);
    if (isKept && name.trim() !== (run.name ?? "")) void renameRun(run, name);
  };
  return (
    <form
      ref={box}
      className={styles.naming}
      onSubmit={(e) => {
        e.preventDefault();
        end(true);
      }}
      onBlur={() => end(true)}
      onKeyDown={(e) => {
        if (e.key !== "Escape") return;
        e.stopPropagation();
        end(false);
      }}
    >
      <TextField label="Run name" placeholder={run.flow} value={name} maxLength={200} onChange={setName} />
    </form>
  );
}

/**
 * The number of newest runs that the menu offers. Any other run can be picked in the list with Ctrl and a
 * click.
 */
const OFFERED = 60;

function ComparePicker({ summary, value }: { summary: RunSummary; value: string | null }) {
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);
  const count = useHistory((s) => s.info?.runs);
  const { flow } = summary;
  // Only runs of the same place (this computer or one store) can be compared.
  const { store } = sessionOf(summary.runId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newly stored run may be a candidate for comparison.
  useEffect(() => {
    let wanted = true;
    const newest = (flow: string | null) => toQuery({ ...NO_FILTER, flow }, Date.now(), 0, OFFERED);
    Promise.all([api().findRuns(newest(flow), store), api().findRuns(newest(null), store)]).then(
      ([same, all]) => {
        const seen = new Set(same.runs.map((r) => r.runId));
        if (wanted) setRuns([...same.runs, ...all.runs.filter((r) => !seen.has(r.runId))]);
      },
      // If the request fails, the menu offers no runs. The list shows the reason.
      () => wanted && setRuns([]),
    );
    return () => {
      wanted = false;
    };
  }, [flow, store, count]);
  const others = candidates(runs, summary);
  if (others.length === 0 && value === null) return null;
  const label = (r: RunSummary) => {
    const begun = Date.parse(r.startedAt);
    const ended = r.status === "completed" ? null : r.status;
    const how = r.exitReason === null ? ended : exitTitle(r.exitReason);
    const clock = formatClockToSecond(begun);
    const day = formatDay(begun, Date.now());
    const parts = [r.name, r.flow === flow ? null : r.flow, day === "Today" ? clock : `${day} ${clock}`, how];
    return parts.filter((part) => part !== null).join(", ");
  };
  const option = (r: RunSummary) => ({ value: r.runId, label: label(r) });
  const groups = [
    { title: `Runs of ${flow}`, options: others.filter((r) => r.flow === flow).map(option) },
    { title: "Other workflows", options: others.filter((r) => r.flow !== flow).map(option) },
  ];
  const known = value === null || others.some((r) => r.runId === value);
  return (
    <Select
      wide
      label="Compare with another run"
      className={styles.picker}
      testId="compare-with"
      value={value ?? ""}
      lead={[
        { value: "", label: "Compare with…" },
        ...(known ? [] : [{ value: value ?? "", label: "the run selected in the list" }]),
      ]}
      groups={groups.filter(({ options }) => options.length > 0)}
      options={[]}
      onChange={(id) => useHistory.getState().compare(id === "" ? null : id)}
    />
  );
}

function Kpis({ detail, state }: { detail: RunDetail; state: RunState }) {
  const { summary, budget, origin } = detail;
  // The totals in the stored summary are written only when a run is suspended or ends. For an unfinished run,
  // the totals are computed from its events.
  const usage = isUnfinishedStatus(summary.status) ? state.usage : summary.usage;
  // The calls that a fork reuses were made and paid for by the original run.
  const kept = origin?.kept.calls ?? 0;
  const loop = shownLoop(state, {}, state.loopIds[0] ?? "");
  const begun = loop?.iterations.length ?? 0;
  const similarity = loop?.iterations.findLast((i) => i.similarity !== null)?.similarity ?? null;
  return (
    <div className={styles.figures}>
      {summary.iterations !== null && (
        <Kpi
          value={formatCount(summary.iterations)}
          name={
            begun > summary.iterations
              ? `of ${begun} iterations finished`
              : summary.iterations === 1
                ? "iteration"
                : "iterations"
          }
        />
      )}
      <Kpi
        value={isUnfinishedStatus(summary.status) ? "–" : formatDuration(summary.durationMs)}
        name="total"
      />
      {usage.calls > 0 && (
        <Kpi
          value={formatCost(usage)}
          name={budget?.budget_usd == null ? "cost" : `of ${formatUsd(budget.budget_usd)} budget`}
        />
      )}
      <Kpi value={formatCount(totalTokens(usage))} name="tokens" />
      <Kpi
        value={formatCount(usage.calls)}
        name={[
          usage.calls === 1 ? "call" : "calls",
          cutOffWords(usage),
          kept > 0 ? `${formatCount(kept)} reused` : "",
        ]
          .filter(Boolean)
          .join(", ")}
      />
      {similarity !== null && <Kpi value={similarity.toFixed(2)} name="last similarity" />}
    </div>
  );
}

function Kpi({ value, name }: { value: string; name: string }) {
  return (
    <div>
      <b>{value}</b>
      {name}
    </div>
  );
}

function Values({ title, values, document }: { title: string; values: unknown; document: FlowDoc }) {
  const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
  return entries.map(([name, value]) => {
    const text = valueText(value);
    return (
      <div className={classes(cardStyles.card, styles.value)} key={`${title}:${name}`}>
        <header>
          <h2>
            {title} <span className="text-tertiary">{name}</span>
          </h2>
          <span className="grow" />
          <CopyButton text={text} />
        </header>
        <section
          className={typeof value === "string" ? styles.text : classes(styles.text, styles.code, "mono")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
          tabIndex={0}
          data-text
          aria-label={`${title} ${name}`}
        >
          {title === "Output" && outputFormat(document, name) === "markdown" ? (
            <Markdown text={text} />
          ) : (
            text
          )}
        </section>
      </div>
    );
  });
}
