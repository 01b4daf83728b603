// The count of a loop on its Exit, and whether the loop ended through this Exit. Both apply to the iteration
// that the window shows.
import { classes } from "../../components/classes";
import { tip } from "../../components/tip";
import { useRegionEndingAt } from "../../document/analysis";
import { pastExitReason, pastExitWords, usePastExit } from "../../node-ui/loop/past-exit";
import { type NodeRun, useLoopRun } from "../../runs";
import { testIds } from "../../testids";
import cardStyles from "../CanvasCard.module.css";
import styles from "./ExitBadge.module.css";
import { StateMark } from "./StateMark";

export function ExitBadge({ id, run }: { id: string; run: NodeRun }) {
  const start = useRegionEndingAt(id)?.start ?? "";
  const loop = useLoopRun(start);
  const past = usePastExit(start);
  if (run.iteration === null) return null;
  const shown = loop?.shown ?? run.iteration;
  // The loop cannot have ended before the current iteration.
  const again = shown < run.iteration;
  const reached = again ? false : run.exitReached;
  if (past !== null && shown >= past.first)
    return (
      <div className={classes(styles.exitCount, styles.past)}>
        <IterationTag id={id} shown={shown} total={run.iterationTotal} />
        <span className={styles.word} {...tip(pastExitReason(past))}>
          {pastExitWords(past)}
        </span>
      </div>
    );
  const word = again ? "looped" : reached ? "reached" : reached === false ? "not reached" : "waiting";
  return (
    <div className={styles.exitCount}>
      <IterationTag id={id} shown={shown} total={run.iterationTotal} />
      <span className={classes(styles.word, reached === true && styles.yes)} {...tip(word)}>
        {word}
      </span>
    </div>
  );
}

/**
 * Shows the state of an Exit, including an Exit that a value reached although its loop ran all its
 * iterations.
 */
export function ExitMark({ id, run }: { id: string; run: NodeRun }) {
  const past = usePastExit(useRegionEndingAt(id)?.start ?? "");
  return <StateMark state={run.state} isExhausted={run.exitReached === false} isPassed={past !== null} />;
}

function IterationTag({ id, shown, total }: { id: string; shown: number; total: number | null }) {
  return (
    <span className={cardStyles.iterationTag} data-testid={testIds.exitBadge(id)}>
      Iteration {shown}
      {total !== null && ` / ${total}`}
    </span>
  );
}
