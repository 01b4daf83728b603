// The place where a run was stopped, at which a fork continues.
import type { RunState, Scope } from "../fold/model";

/**
 * Returns the paths and start times of the steps and iterations in a scope that were cut off. An iteration is
 * listed only if none of its steps was cut off.
 */
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
 * Returns the path of the last running step of a stopped run, or the path of the iteration if it stopped
 * between two steps. Null if the run was not stopped or nothing was cut off.
 */
export function stoppedPath(run: RunState): string | null {
  if (run.status !== "cancelled" || run.runId === "") return null;
  const found = cutOff(run.root).sort((a, b) => a.at - b.at);
  return found.at(-1)?.path ?? null;
}
