// Forks stand under the run that they come from, where a page of the list has both.
import type { RunSummary } from "../../ipc/generated/bindings";

/** The runs of a page, newest first, with each fork moved below its parent: the newest fork next to it, its own forks below that. */
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
  // Imported runs may say that they come from each other: then none of them has a place.
  return placed.length === runs.length ? placed : runs;
}

/** How deep each fork stands that `underParents` moved, from 1. Runs that are not in the map stand at the edge. */
export function depths(pages: Iterable<readonly RunSummary[]>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const runs of pages) {
    const here = new Set<string>();
    // A parent comes before its forks.
    for (const { runId, forkedFrom } of runs) {
      if (forkedFrom && here.has(forkedFrom.runId)) found.set(runId, (found.get(forkedFrom.runId) ?? 0) + 1);
      here.add(runId);
    }
  }
  return found;
}
