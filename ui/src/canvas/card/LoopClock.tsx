// How long a loop has been running: it ticks while it runs and stays when it is done.
import type { NodeRun } from "../../runs";
import { formatDuration } from "../../runs/format";
import { runHere } from "../../runs/level";
import { shownRun, useRuns } from "../../runs/store";
import { shownStep } from "../../runs/view";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useNow } from "../../session/clock";

export function LoopClock({ id, run }: { id: string; run: NodeRun }) {
  const choice = useChosenIteration((s) => s.chosen);
  const startedAt = useRuns((s) => {
    const state = runHere(s)?.state;
    return (state && shownStep(state, choice, id)?.startedAt) ?? null;
  });
  // A run that rests, for somebody or because it was paused, has its clocks rest as well.
  const restsAt = useRuns((s) => {
    const state = shownRun(s)?.state;
    return !state || state.status === "running" ? null : state.lastAt;
  });
  const open = run.state === "running";
  const tick = useNow("canvas", open && restsAt === null);
  const now = restsAt ?? tick;
  const elapsed = open && startedAt !== null ? Math.max(0, now - startedAt) : run.durationMs;
  return elapsed === null ? null : <span className="kind num">{formatDuration(elapsed)}</span>;
}
