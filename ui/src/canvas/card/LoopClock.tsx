// The duration of a loop. It ticks while the loop runs and remains visible afterwards.
import { classes } from "../../components/classes";
import type { NodeRun } from "../../runs";
import { useRuns } from "../../runs/session/store";
import { runHere } from "../../runs/view/level";
import { useRunNow } from "../../runs/view/shown";
import { shownStep } from "../../runs/view/view";
import { formatDuration } from "../../runs/words/format";
import { useChosenIteration } from "../../session/chosen-iteration";
import cardStyles from "../CanvasCard.module.css";

export function LoopClock({ id, run }: { id: string; run: NodeRun }) {
  const choice = useChosenIteration((s) => s.chosen);
  const startedAt = useRuns((s) => {
    const state = runHere(s)?.state;
    return (state && shownStep(state, choice, id)?.startedAt) ?? null;
  });
  const open = run.state === "running";
  const now = useRunNow("canvas", open);
  const elapsed = open && startedAt !== null ? Math.max(0, now - startedAt) : run.durationMs;
  return elapsed === null ? null : (
    <span className={classes(cardStyles.clock, "numeric")}>{formatDuration(elapsed)}</span>
  );
}
