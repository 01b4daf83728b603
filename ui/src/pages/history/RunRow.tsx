// One run in the list: status, flow, time, iterations, reason for its end, duration and cost.

import { type CSSProperties, memo } from "react";
import buttonStyles from "../../components/Button.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { reasonLook } from "../../components/reason";
import { tip } from "../../components/tip";
import { RequestChip } from "../../inspector/run/StatusChip";
import type { ForkedFrom, ParkedView, RunStatus, RunSummary } from "../../ipc/generated/bindings";
import { placeWords } from "../../runs/fold/path";
import { isUnfinishedStatus } from "../../runs/fold/status";
import { useRequest } from "../../runs/session/requests";
import { useFirstWords } from "../../runs/words/first-words";
import {
  callWords,
  cutOffWords,
  exitTip,
  exitTitle,
  exitTone,
  formatClock,
  formatCost,
  formatDuration,
  plural,
  quotaWords,
} from "../../runs/words/format";
import { testIds } from "../../testids";
import { discardRun, openRun, resumeRun } from "./actions";
import { Letter, type Mark } from "./Letter";
import styles from "./RunRow.module.css";
import { indexOf, rowAt, useHistory } from "./store";

const STATUS_ICON: Record<RunStatus, { icon: string; colour?: string }> = {
  running: { icon: "loader-circle", colour: "text-running" },
  queued: { icon: "clock" },
  paused: { icon: "circle-pause" },
  waiting: { icon: "circle-pause" },
  completed: { icon: "circle-check", colour: "text-ok" },
  failed: { icon: "circle-x", colour: "text-error" },
  cancelled: { icon: "circle-slash-2" },
  interrupted: { icon: "circle-alert", colour: "text-error" },
};

/** The maximum indentation of nested forks. */
const MAX_FORK_DEPTH = 3;

type RowProps = {
  run: RunSummary;
  top: number;
  index: number;
  total: number;
  /** The number of the run's ancestors that are listed above it. */
  depth: number;
  selected: boolean;
  mark: Mark | null;
};

/** Selects a run. With Ctrl, picks it for comparison with the selected run instead. */
function choose(runId: string, beside: boolean): void {
  const { selected, select, compare } = useHistory.getState();
  if (beside && selected !== null && runId !== selected) compare(runId);
  else select(runId);
}

export const RunRow = memo(function RunRow({ run, top, index, total, depth, selected, mark }: RowProps) {
  const { icon, colour } = STATUS_ICON[run.status];
  const interrupted = run.status === "interrupted";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the enclosing list is focused and handles the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: as above; the list names it with aria-activedescendant.
    <div
      id={`run-${run.runId}`}
      className={classes(styles.run, interrupted && styles.cut)}
      data-under-parent={depth > 0 || undefined}
      style={{ top, "--depth": Math.min(depth, MAX_FORK_DEPTH) } as CSSProperties}
      role="option"
      aria-selected={selected}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-testid={testIds.runRow(run.runId)}
      onClick={(e) => choose(run.runId, e.ctrlKey || e.metaKey)}
      onDoubleClick={() => void openRun(run.runId)}
    >
      <span className={classes(styles.state, colour)}>
        <Icon name={icon} size={16} />
      </span>
      <div>
        <div className={styles.title}>
          <b>{run.flow}</b>
          {mark && <Letter mark={mark} />}
          {run.name !== null ? (
            <span className={styles.name} data-testid={testIds.runName} {...tip(run.name)}>
              {run.name}
            </span>
          ) : run.forkedFrom ? (
            <Forked runId={run.runId} from={run.forkedFrom} isUnderParent={depth > 0} />
          ) : (
            <Words runId={run.runId} />
          )}
          {run.schedule !== null && (
            <span className={styles.schedule} {...tip(`Started by the schedule “${run.schedule}”`)}>
              <Icon name="calendar-clock" size={12} />
              <small className="clip-text">{run.schedule}</small>
            </span>
          )}
          {run.starred && (
            <span className={styles.star} role="img" aria-label="Starred">
              <Icon name="star" size={12} />
            </span>
          )}
          <time dateTime={run.startedAt}>{formatClock(Date.parse(run.startedAt))}</time>
        </div>
        <div className={styles.facts}>
          <IterationBars run={run} />
          {run.parked === null ? <RunReason run={run} /> : <Parked parked={run.parked} />}
          <span className={styles.spent}>
            {interrupted ? `${run.iterations ?? 0} saved` : spentWords(run)}
          </span>
          {run.usage.calls > 0 && (
            <span className="clip-text" {...tip(costInRow(run.usage))}>
              {costInRow(run.usage)}
            </span>
          )}
        </div>
      </div>
    </div>
  );
});

/** Names the quota that a running run waits for, and when the wait ends. */
function Parked({ parked: { name, until } }: { parked: ParkedView }) {
  const words = quotaWords({ name, until: Date.parse(until) }, Date.now());
  return (
    <span className="text-warning" data-testid={testIds.runParked}>
      {words}
    </span>
  );
}

/** The first words of the run's inputs, which distinguish the runs of a workflow. */
function Words({ runId }: { runId: string }) {
  const words = useFirstWords((s) => s.byRun.get(runId));
  return words ? (
    <span className={styles.words} {...tip(words)}>
      {words}
    </span>
  ) : null;
}

/**
 * Says at which step or iteration a run was forked. If the original run is not the row above, the text also
 * says when the original started.
 */
function Forked(props: { runId: string; from: ForkedFrom; isUnderParent: boolean }) {
  const { runId, from, isUnderParent } = props;
  const began = useHistory((s) => rowAt(s.pages, indexOf(s.pages, from.runId))?.startedAt);
  const read = useFirstWords((s) => s.places.get(runId));
  const place = read ?? placeWords(from.at);
  const of = began === undefined ? "fork" : `fork of the ${formatClock(Date.parse(began))} run`;
  return (
    <span className={styles.forked} {...tip(`A ${of}, made at ${place}`)}>
      <Icon name="git-fork" size={12} />
      <small className="clip-text">
        {isUnderParent ? "fork" : of}, {place}
      </small>
    </span>
  );
}

/** Returns the duration of a run; empty for an unfinished run, whose final duration is unknown. */
const spentWords = (run: RunSummary): string =>
  isUnfinishedStatus(run.status) ? "" : formatDuration(run.durationMs);

/** Returns the cost of a run. If the cost is unknown because calls were cut off, says so. */
const costInRow = (usage: RunSummary["usage"]): string =>
  usage.cost_usd === null && cutOffWords(usage) !== ""
    ? `${callWords(usage)}, cost not known`
    : formatCost(usage);

/**
 * The buttons for an interrupted run. They are placed over the row, since a list entry cannot contain
 * buttons.
 */
export function Resumable({ run, top }: { run: RunSummary; top: number }) {
  const request = useRequest(run.runId);
  if (request !== null) {
    return (
      <div className={classes("row", styles.resumable)} style={{ top }}>
        <RequestChip runId={run.runId} />
      </div>
    );
  }
  return (
    <div className={classes("row", styles.resumable)} style={{ top }}>
      <button
        type="button"
        className={classes(buttonStyles.actionButton, buttonStyles.lead)}
        onClick={() => void resumeRun(run.runId)}
      >
        <Icon name="rotate-ccw" size={13} />
        {resumeLabel(run)}
      </button>
      <button
        type="button"
        className={classes(buttonStyles.actionButton, buttonStyles.plain)}
        onClick={() => void discardRun(run)}
      >
        Discard
      </button>
    </div>
  );
}

/**
 * Returns the label of the resume button, such as "Resume from iteration 4" if a loop has reached that
 * iteration.
 */
export function resumeLabel(run: RunSummary): string {
  return run.iterations === null ? "Resume" : `Resume from iteration ${run.iterations + 1}`;
}

const MAX_BARS = 12;

function IterationBars({ run }: { run: RunSummary }) {
  const count = Math.min(run.iterations ?? 0, MAX_BARS);
  if (count === 0) return null;
  const last =
    run.status === "interrupted" ? "tone-failed" : run.exitReason ? exitTone(run.exitReason) : "tone-stopped";
  return (
    <span className={styles.bars} {...tip(plural(run.iterations ?? 0, "iteration"))}>
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its index.
        <i key={i} style={{ height: 11 }} data-tone={i === count - 1 ? last : undefined} />
      ))}
    </span>
  );
}

export function RunReason({ run }: { run: Pick<RunSummary, "status" | "exitReason" | "warnings"> }) {
  if (run.status === "running") return <span className={reasonLook("tone-settled")}>running</span>;
  if (run.status === "queued") return <span className={reasonLook("tone-stopped")}>queued</span>;
  if (run.status === "waiting") return <span className={reasonLook("tone-limit")}>waiting</span>;
  if (run.status === "paused") return <span className={reasonLook("tone-stopped")}>paused</span>;
  if (run.status === "cancelled") return <span className={reasonLook("tone-stopped")}>stopped</span>;
  if (run.status === "interrupted") return <span className={reasonLook("tone-failed")}>interrupted</span>;
  // If a run was limited to one node, the loop ended when that node had run.
  if (run.status === "completed" && run.exitReason === "cancelled")
    return <span className={reasonLook("tone-met")}>done</span>;
  if (run.exitReason) {
    // A loop that ran past its Exit is not described as one that met its exit condition.
    const past = run.exitReason === "max_iterations" && run.warnings.some((w) => w.code === "exit_ignored");
    const exhausted = past || run.warnings.some((w) => w.code.includes("exhausted"));
    return (
      <span className={reasonLook(exitTone(run.exitReason, exhausted))} {...tip(exitTip(run.exitReason))}>
        {exitTitle(run.exitReason)}
      </span>
    );
  }
  return run.status === "failed" ? (
    <span className={reasonLook("tone-failed")}>error</span>
  ) : (
    <span className={reasonLook("tone-met")}>done</span>
  );
}
