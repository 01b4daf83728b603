// Moves forks below their original run if both are on the same page of the list.
import type { RunSummary } from "../../ipc/generated/bindings";

/**
 * Returns the runs of a page, newest first, with each fork moved below its original run. Several forks of a
 * run are listed newest first, each followed by its own forks.
 */
export function underParents(runs: readonly RunSummary[]): readonly RunSummary[] {
  const here = new Set(runs.map((run) => run.runId));
  const forks = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const parent = run.forkedFrom?.runId;
    if (parent === undefined || !here.has(parent)) continue;
    forks.set(parent, [...(forks.get(parent) ?? []), run]);
  }
  if (forks.size === 0) return runs;
  const moved = new Set([...forks.values()].flat());
  const withForks = (run: RunSummary): RunSummary[] => [
    run,
    ...(forks.get(run.runId) ?? []).flatMap(withForks),
  ];
  const placed = runs.filter((run) => !moved.has(run)).flatMap(withForks);
  // The origins of imported runs may form a cycle, whose runs would then be missing. In that case the
  // original order is kept.
  return placed.length === runs.length ? placed : runs;
}

/**
 * Returns the depth of each fork that `underParents` moved, by run id. A fork of an unmoved run has depth 1.
 * Runs that are not in the map are not indented.
 */
export function depths(pages: Iterable<readonly RunSummary[]>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const runs of pages) {
    const here = new Set<string>();
    // The original run is always listed before its forks.
    for (const { runId, forkedFrom } of runs) {
      if (forkedFrom && here.has(forkedFrom.runId)) found.set(runId, (found.get(forkedFrom.runId) ?? 0) + 1);
      here.add(runId);
    }
  }
  return found;
}
