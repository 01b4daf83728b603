// The history of the double: the runs of this page. It can be searched and is read in pages, like the store.
import type { Backend } from "../client";
import type { IterationInfo, RunEvent, RunSummary } from "../generated/bindings";
import type { PlayedRun } from "./run";
import { inside } from "./stores";

type PastRuns = Pick<
  Backend,
  | "findRuns"
  | "runFlows"
  | "storeInfo"
  | "schedules"
  | "exportRun"
  | "importRun"
  | "runOutline"
  | "runIterations"
  | "iterationEvents"
>;

const ofIterations = new Set([
  "workflow.node.iteration",
  "workflow.loop.condition",
  "workflow.loop.iteration_completed",
]);

function finished(event: RunEvent): IterationInfo[] {
  if (event.type !== "workflow.loop.iteration_completed") return [];
  return [
    {
      index: event.index,
      status: event.status,
      similarity: event.similarity,
      conditionResult: event.condition_result,
      score: event.score,
      durationMs: event.duration_ms,
      usage: event.usage,
      resultPreview: event.result_preview,
      reachedExit: event.reached_exit,
    },
  ];
}

export function pastRuns(runs: ReadonlyMap<string, PlayedRun>, run: (id: string) => PlayedRun): PastRuns {
  const kept = (id: string) => run(id).events.filter((event) => event.type !== "workflow.node.streaming");
  return {
    findRuns: async (query, store = null) => {
      const among = <T>(wanted: readonly T[], value: T | null) =>
        wanted.length === 0 || (value !== null && wanted.includes(value));
      const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
      const meant = (summary: RunSummary) =>
        among(query.statuses, summary.status) &&
        among(query.exitReasons, summary.exitReason) &&
        (query.flow === null || query.flow === summary.flow) &&
        (query.starred === null || query.starred === summary.starred) &&
        (query.since === null || Date.parse(summary.startedAt) >= query.since) &&
        (query.until === null || Date.parse(summary.startedAt) < query.until) &&
        words.every((word) =>
          JSON.stringify([summary, store === null ? run(summary.runId).detail() : null])
            .toLowerCase()
            .includes(word),
        );
      const all = store === null ? [...runs.values()].map((r) => r.summary()).reverse() : inside(store).runs;
      const of =
        query.batch === null || store === null ? null : (inside(store).batchRuns?.[query.batch] ?? []);
      const found = (all ?? []).filter((one) => meant(one) && (of === null || of.includes(one.runId)));
      const times = found.flatMap((r) => r.durationMs ?? []).sort((a, b) => a - b);
      return {
        runs: found.slice(query.offset, query.offset + query.limit),
        tally: {
          runs: found.length,
          spentUsd: found.reduce((sum, r) => sum + (r.usage.cost_usd ?? 0), 0) || null,
          medianMs: times[Math.floor((times.length - 1) / 2)] ?? null,
        },
      };
    },
    runFlows: async (store = null) => {
      const counts = new Map<string, number>();
      const all = store === null ? [...runs.values()].map((r) => r.summary()) : (inside(store).runs ?? []);
      for (const { flow } of all) counts.set(flow, (counts.get(flow) ?? 0) + 1);
      return [...counts].sort().map(([flow, count]) => ({ flow, runs: count }));
    },
    storeInfo: async (store = null) => {
      if (store !== null) {
        const { runs, bytes } = inside(store).check;
        return { runs, bytes, limitBytes: null, path: "" };
      }
      return { runs: runs.size, bytes: runs.size * 4096, limitBytes: 1e9, path: "/data/runs.db" };
    },
    schedules: async () => [],
    exportRun: async (id) => kept(id).length,
    importRun: async (path) => ({ runId: path, flow: "Imported", renamed: false }),
    runOutline: async (id) =>
      kept(id).filter((event) => !event.path.includes("[") && !ofIterations.has(event.type)),
    runIterations: async (id, scope, offset, limit) => {
      const all = kept(id)
        .filter((event) => event.path === scope)
        .flatMap(finished);
      return { total: all.length, iterations: all.slice(offset, offset + limit) };
    },
    iterationEvents: async (id, scope, first, count) =>
      kept(id).filter((event) => {
        const rest = event.path.startsWith(`${scope}[`) ? event.path.slice(scope.length + 1) : "";
        const number = Number.parseInt(rest, 10);
        return number > first && number <= first + count;
      }),
  };
}
