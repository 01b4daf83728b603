// The screen reader label of a node: title, kind, bypassed, status, iteration, problems.
import type { NodeRun } from "../runs";

const stateWords: Record<NodeRun["state"], string> = {
  idle: "",
  queued: "queued",
  running: "running",
  done: "done",
  skipped: "skipped",
  failed: "failed",
  waiting: "waiting for a person",
};

export function nodeLabel(
  title: string,
  kind: string,
  run: Pick<NodeRun, "state" | "iteration" | "iterationTotal">,
  problems: number,
  bypassed = false,
): string {
  const iteration =
    run.iteration === null
      ? ""
      : `iteration ${run.iteration}${run.iterationTotal === null ? "" : ` of ${run.iterationTotal}`}`;
  const trouble = problems === 0 ? "" : `${problems} ${problems === 1 ? "problem" : "problems"}`;
  return [title, kind, bypassed ? "bypassed" : "", stateWords[run.state], iteration, trouble]
    .filter(Boolean)
    .join(", ");
}
