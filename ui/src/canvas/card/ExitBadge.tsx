// The loop's count on its Exit, and whether a value has reached it.
import type { NodeRun } from "../../runs";
import { testIds } from "../../testids";

export function ExitBadge({ id, run }: { id: string; run: NodeRun }) {
  if (run.iteration === null) return null;
  const word = run.exitReached === true ? "reached" : run.exitReached === false ? "not reached" : "waiting";
  return (
    <div className="exit-count">
      <span className="ittag" data-testid={testIds.exitBadge(id)}>
        Iteration {run.iteration}
        {run.iterationTotal !== null && ` / ${run.iterationTotal}`}
      </span>
      <span className={`exit-word ${run.exitReached === true ? "yes" : ""}`}>{word}</span>
    </div>
  );
}
