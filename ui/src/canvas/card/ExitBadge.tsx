// The loop's count on its Exit, and whether the loop left by it: both for the iteration that the window shows.
import { tip } from "../../components/tip";
import { useRegionEndingAt } from "../../document/analysis";
import { type NodeRun, useLoopRun } from "../../runs";
import { testIds } from "../../testids";

export function ExitBadge({ id, run }: { id: string; run: NodeRun }) {
  const loop = useLoopRun(useRegionEndingAt(id)?.start ?? "");
  if (run.iteration === null) return null;
  const shown = loop?.shown ?? run.iteration;
  // Before the iteration in hand the loop cannot have left.
  const again = shown < run.iteration;
  const reached = again ? false : run.exitReached;
  const word = again ? "looped" : reached ? "reached" : reached === false ? "not reached" : "waiting";
  return (
    <div className="exit-count">
      <span className="iteration-tag" data-testid={testIds.exitBadge(id)}>
        Iteration {shown}
        {run.iterationTotal !== null && ` / ${run.iterationTotal}`}
      </span>
      <span className={`exit-word ${reached === true ? "yes" : ""}`} {...tip(word)}>
        {word}
      </span>
    </div>
  );
}
