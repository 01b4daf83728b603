// The exit conditions of a loop, each with its progress. The one that fired replaces "pending".

import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import marksStyles from "../../components/Marks.module.css";
import { reasonLook } from "../../components/reason";
import { tip } from "../../components/tip";
import type { ExitChoice, Json } from "../../ipc/generated/bindings";
import { pastExitReason, usePastExit } from "../../node-ui/loop/past-exit";
import type { LoopRecord } from "../../runs/fold/model";
import { useTimelineRun } from "../../runs/view/shown";
import { exitTip, exitTitle, exitWords } from "../../runs/words/format";
import { testIds } from "../../testids";
import styles from "./ExitWatch.module.css";
import { type ExitRow, exitWatch, itemWatch } from "./exit-watch";

type ExitWatchProps = {
  loop: LoopRecord;
  /** Whether the loop may still continue. */
  open: boolean;
  data: Readonly<Record<string, Json>>;
  now: number;
  /** The similarity of the last two results, if the chart measured it. */
  similarity: number | null;
  /** The evaluator's rule, if there is one. */
  rule: { node: string; when: string } | null;
  /** The exit conditions that the Loop offers. */
  exits: readonly ExitChoice[];
  /** Whether the loop iterates over the items of a list. */
  each: boolean;
  /** The warning that the prompt of an iteration will not fit; null if all are expected to fit. */
  warning: string | null;
};

export function ExitWatch({ loop, open, data, now, similarity, rule, exits, each, warning }: ExitWatchProps) {
  const begin = loop.iterations[0]?.startedAt ?? now;
  const last = loop.iterations.at(-1);
  const end = loop.exitReason === null ? now : (last?.endedAt ?? now);
  const iterationMs = last ? (last.durationMs ?? Math.max(0, (last.endedAt ?? now) - last.startedAt)) : 0;
  const elapsedMs = Math.max(0, end - begin);
  const past = usePastExit(loop.nodeId);
  const watched = each
    ? itemWatch(loop)
    : exitWatch({ loop, data, exits, similarity, rule, elapsedMs, iterationMs });
  // If the loop ran past its Exit, the row of the limit never has the colour of a met exit condition.
  const rows = watched.map((row) =>
    past !== null && row.fired && row.reason === "max_iterations"
      ? { ...row, tone: "tone-limit" as const }
      : row,
  );
  const status = useTimelineRun()?.state.status;
  const { exitReason } = loop;
  const words = exitReason === null ? null : exitWords({ ...loop, exitReason }, status, past);
  return (
    <section className={styles.exitWatch} aria-label="Exit reason" data-testid="exit-watch">
      <h4>
        Exit reason
        {words === null ? (
          <span className={classes(chipStyles.chip, chipStyles.queued)}>
            {open ? "pending" : "interrupted"}
          </span>
        ) : (
          <span className={reasonLook(words.tone)} {...tip(words.meaning)} data-testid="exit-reason">
            {words.title}
          </span>
        )}
      </h4>
      {loop.exhausted && <p className={styles.exhausted}>Exhausted: the exit condition was not met.</p>}
      {warning !== null && (
        <p className={styles.exhausted} role="status" data-testid={testIds.contextWarning}>
          {warning}
        </p>
      )}
      {past !== null && (
        <p className={styles.exhausted} data-testid="past-exit">
          Exit was reached in iteration {past.first}. {pastExitReason(past)}
        </p>
      )}
      {rows.map((row) => (
        <ExitMeter key={row.key} row={row} />
      ))}
    </section>
  );
}

function ExitMeter({ row }: { row: ExitRow }) {
  return (
    <div
      className={classes(styles.exit, !row.on && styles.off)}
      data-tone={row.tone ?? undefined}
      data-testid={`exit-row-${row.key}`}
    >
      <code {...tip(exitTip(row.reason))}>{exitTitle(row.reason)}</code>
      <span className={classes(styles.says, "numeric")}>{row.says}</span>
      <span className={classes(marksStyles.meter, styles.meter)}>
        <i style={{ width: `${Math.round(row.near * 100)}%` }} />
      </span>
    </div>
  );
}
