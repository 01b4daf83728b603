// Where a run was stopped: the place at which a fork of it continues.
import type { RunState, Scope } from "../fold/model";

/** What of a scope was cut off, with when it began. A step tells more than the iteration around it. */
function cutOff(scope: Scope): { path: string; at: number }[] {
  return Object.values(scope.steps).flatMap((step) => {
    const last = step.loop?.iterations.at(-1);
    const inside = step.loop === null ? (step.inner === null ? [] : cutOff(step.inner)) : [];
    if (step.loop !== null && last !== undefined) {
      const found = cutOff(last.scope);
      if (found.length > 0) return found;
      if (last.status === "cancelled")
        return [{ path: `${step.loop.path}[${last.number}]`, at: last.startedAt }];
    }
    if (inside.length > 0) return inside;
    const isLeaf = step.loop === null && step.inner === null;
    return isLeaf && step.status === "cancelled" ? [{ path: step.path, at: step.startedAt ?? 0 }] : [];
  });
}

/**
 * The path of the step that was under way last when a run was stopped; of one that was stopped between two steps, the path of the
 * iteration. Null where the run was not stopped, or nothing of it was cut off.
 */
export function stoppedPath(run: RunState): string | null {
  if (run.status !== "cancelled" || run.runId === "") return null;
  const found = cutOff(run.root).sort((a, b) => a.at - b.at);
  return found.at(-1)?.path ?? null;
}
