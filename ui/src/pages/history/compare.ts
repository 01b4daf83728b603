// Two runs beside each other: their measures with the change from A to B, and the outputs that both have. Pure.
import type { RunDetail, RunSummary } from "../../ipc/generated/bindings";
import { formatCost, formatCount, formatDuration, totalTokens } from "../../runs/format";

export type Measured = {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  /** "+2", "−34%"; empty where they are equal or cannot be compared. */
  readonly change: string;
  /** Whether the change is for the better; null where that is not the point. */
  readonly better: boolean | null;
};

export function compareRuns(a: RunSummary, b: RunSummary): Measured[] {
  return [
    measured("Iterations", a.iterations, b.iterations, formatCount, plain),
    measured("Duration", a.durationMs, b.durationMs, formatDuration, percent),
    measured("Calls", a.usage.calls, b.usage.calls, formatCount, plain),
    measured("Tokens", totalTokens(a.usage), totalTokens(b.usage), formatCount, percent),
    {
      ...measured("Cost", a.usage.cost_usd, b.usage.cost_usd, String, percent),
      a: formatCost(a.usage),
      b: formatCost(b.usage),
    },
  ];
}

function measured(
  name: string,
  a: number | null,
  b: number | null,
  format: (n: number) => string,
  change: (a: number, b: number) => string,
): Measured {
  const show = (n: number | null) => (n === null ? "–" : format(n));
  const both = a !== null && b !== null && a !== b;
  return {
    name,
    a: show(a),
    b: show(b),
    change: both ? change(a, b) : "",
    better: both ? b < a : null,
  };
}

const sign = (n: number) => (n > 0 ? "+" : "−");
const plain = (a: number, b: number) => `${sign(b - a)}${formatCount(Math.abs(b - a))}`;

function percent(a: number, b: number): string {
  if (a === 0) return "";
  const by = Math.round(((b - a) / a) * 100);
  return by === 0 ? "" : `${sign(by)}${formatCount(Math.abs(by))}%`;
}

/** The names of the outputs that both runs gave. */
export function sharedOutputs(a: RunDetail, b: RunDetail): string[] {
  const names = (detail: RunDetail) => Object.keys((detail.outputs ?? {}) as Record<string, unknown>);
  const ofB = new Set(names(b));
  return names(a).filter((name) => ofB.has(name));
}

/** Runs to compare with, those of the same flow first. */
export function candidates(runs: readonly RunSummary[], a: RunSummary): RunSummary[] {
  const others = runs.filter((r) => r.runId !== a.runId && r.status !== "running");
  return [...others.filter((r) => r.flow === a.flow), ...others.filter((r) => r.flow !== a.flow)];
}
