// Which runs the list shows, and under which day. Pure.
import type { RunSummary } from "../../ipc/generated/bindings";
import { formatDay } from "../../runs/format";

export type Filter = { readonly search: string; readonly status: string; readonly exit: string };
export const NO_FILTER: Filter = { search: "", status: "", exit: "" };

export function filterRuns(runs: readonly RunSummary[], filter: Filter): RunSummary[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    const text =
      `${run.flow} ${run.flowPath ?? ""} ${run.status} ${run.exitReason ?? ""} ${run.runId}`.toLowerCase();
    return (
      words.every((w) => text.includes(w)) &&
      (filter.status === "" || run.status === filter.status) &&
      (filter.exit === "" || run.exitReason === filter.exit)
    );
  });
}

export function byDay(runs: readonly RunSummary[], now: number): { day: string; runs: RunSummary[] }[] {
  const days: { day: string; runs: RunSummary[] }[] = [];
  for (const run of runs) {
    const day = formatDay(Date.parse(run.startedAt), now);
    const last = days.at(-1);
    if (last?.day === day) last.runs.push(run);
    else days.push({ day, runs: [run] });
  }
  return days;
}

/** The middle duration of the runs that ended. */
export function medianMs(runs: readonly RunSummary[]): number | null {
  const times = runs.flatMap((r) => (r.durationMs === null ? [] : [r.durationMs])).sort((a, b) => a - b);
  const middle = Math.floor(times.length / 2);
  const upper = times[middle];
  if (upper === undefined) return null;
  return times.length % 2 === 1 ? upper : (upper + (times[middle - 1] ?? upper)) / 2;
}
