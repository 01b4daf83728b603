// The iterations of a loop as a row of buttons: done, running, still to come, and the shown one.

import { IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import marksStyles from "../../components/Marks.module.css";
import { tip } from "../../components/tip";
import { chooseLoopIteration, stepIteration } from "../../runs/view/cursor";
import { useChoice, useIsRunning, useLoopRecord } from "../../runs/view/shown";
import { shownIteration } from "../../runs/view/view";
import { testIds } from "../../testids";
import styles from "./IterationPips.module.css";

/**
 * The maximum number of pips that fit. If there are more iterations, those around the shown one are drawn.
 */
const MAX_PIPS = 7;

/** Returns the iteration numbers to draw: at most `MAX_PIPS`, including the shown one. */
export function pipRange(count: number, shown: number): number[] {
  const length = Math.min(count, MAX_PIPS);
  const from = Math.max(1, Math.min(shown - Math.floor(MAX_PIPS / 2), count - length + 1));
  return Array.from({ length }, (_, i) => from + i);
}

type PipsProps = {
  loopId: string;
  label: string;
  /** Whether this is the innermost loop, whose pips respond to keys and carry the test ids. */
  first?: boolean;
  /** Whether to show the loop's name, because there are several rows. */
  named?: boolean;
};

export function IterationPips({ loopId, label, first, named }: PipsProps) {
  const loop = useLoopRecord(loopId);
  const choice = useChoice();
  const running = useIsRunning();
  if (!loop || loop.iterations.length === 0) return null;
  const shown = shownIteration(loop, choice)?.number ?? 1;
  // Pips for future iterations are drawn only while the loop can still continue.
  const count =
    running && loop.exitReason === null
      ? Math.max(loop.total ?? 0, loop.iterations.length)
      : loop.iterations.length;
  return (
    <div className={styles.nav}>
      {named && (
        <span className={styles.name} {...tip(label)}>
          {label}
        </span>
      )}
      <IconButton
        icon="chevron-left"
        size={15}
        small
        label={`Previous iteration of ${label}`}
        hint={first ? "[" : undefined}
        disabled={shown <= 1}
        onClick={() => stepIteration(loopId, -1)}
      />
      <fieldset className={styles.pips} aria-label={`Iterations of ${label}`}>
        {pipRange(count, shown).map((k) => {
          const status = loop.iterations[k - 1]?.status;
          const live = status === "running" && running;
          return (
            <button
              type="button"
              key={k}
              data-status={status}
              data-live={live || undefined}
              data-testid={first ? testIds.iterationPip(k) : undefined}
              aria-pressed={k === shown}
              aria-label={`Iteration ${k}${live ? ", running" : status === undefined ? ", not started" : status === "completed" ? "" : `, ${status}`}`}
              disabled={status === undefined}
              onClick={() => chooseLoopIteration(loopId, k)}
            >
              {live && <s className={classes(marksStyles.dot, marksStyles.pulse)} />}
              {k}
            </button>
          );
        })}
      </fieldset>
      <IconButton
        icon="chevron-right"
        size={15}
        small
        label={`Next iteration of ${label}`}
        hint={first ? "]" : undefined}
        disabled={shown >= loop.iterations.length}
        onClick={() => stepIteration(loopId, 1)}
      />
    </div>
  );
}
