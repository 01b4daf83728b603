// The badge "Iteration 3 / 5" over a Loop, during and after a run. It shows the number of the shown
// iteration.

import { classes } from "../../components/classes";
import marksStyles from "../../components/Marks.module.css";
import { tip } from "../../components/tip";
import { useLoopRun } from "../../runs";
import { testIds } from "../../testids";
import styles from "./LoopBadge.module.css";

export function LoopBadge({ id }: { id: string }) {
  const run = useLoopRun(id);
  if (!run || run.shown === null) return null;
  const running = run.state === "running";
  const back = !run.live && run.shown !== run.current;
  return (
    <span
      className={classes(styles.loopBadge, !running && styles.still, run.exhausted && styles.spent)}
      data-testid={testIds.loopBadge(id)}
      {...tip(
        back
          ? `Showing iteration ${run.shown}. The loop is at iteration ${run.current}.`
          : run.exhausted
            ? "The exit condition was not met."
            : undefined,
      )}
    >
      <i className={classes(marksStyles.dot, styles.dot, running && !back && marksStyles.pulse)} />
      Iteration {run.shown}
      {run.total !== null && ` / ${run.total}`}
    </span>
  );
}
