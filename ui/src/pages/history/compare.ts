// Two runs side by side: their measures with the changes from A to B. Pure.
import type { DiffPart, RunComparison, RunSummary } from "../../ipc/generated/bindings";
import { formatCost, formatCount, formatDuration, totalTokens } from "../../runs/words/format";

export type Measured = {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  /** The change, such as "+2" or "−34%"; empty if the values are equal or not comparable. */
  readonly change: string;
  /** Whether B is better than A; null if it is neither better nor worse. */
  readonly better: boolean | null;
};

export function compareMeasures(comparison: Pick<RunComparison, "a" | "b" | "loops">): Measured[] {
  const { a, b } = comparison;
  const rows = [
    measured("Iterations", a.iterations, b.iterations, formatCount, plain),
    {
      ...measured("Cost", a.usage.cost_usd, b.usage.cost_usd, String, percent),
      a: formatCost(a.usage),
      b: formatCost(b.usage),
    },
    measured("Duration", a.durationMs, b.durationMs, formatDuration, percent),
    measured("Tokens", totalTokens(a.usage), totalTokens(b.usage), formatCount, percent),
    measured("Calls", a.usage.calls, b.usage.calls, formatCount, plain),
  ];
  const [scoreA, scoreB] = [lastScore(comparison, "a"), lastScore(comparison, "b")];
  if (scoreA === null && scoreB === null) return rows;
  const score = measured(
    "Score",
    scoreA,
    scoreB,
    rounded,
    (x, y) => `${sign(y - x)}${rounded(Math.abs(y - x))}`,
  );
  // Lower is better for every measure except the score, so its result is inverted.
  return [...rows, { ...score, better: score.better === null ? null : !score.better }];
}

/**
 * Returns the last score of a run. With several loops, the last loop that has scores counts. Null if none has
 * any.
 */
function lastScore({ loops }: Pick<RunComparison, "loops">, side: "a" | "b"): number | null {
  const scores = loops.flatMap((loop) => loop[side]?.iterations.flatMap((i) => i.score ?? []) ?? []);
  return scores.at(-1) ?? null;
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

const rounded = (n: number) => String(Math.round(n * 100) / 100);
const sign = (n: number) => (n > 0 ? "+" : "−");
const plain = (a: number, b: number) => `${sign(b - a)}${formatCount(Math.abs(b - a))}`;

function percent(a: number, b: number): string {
  if (a === 0) return "";
  const by = Math.round(((b - a) / a) * 100);
  return by === 0 ? "" : `${sign(by)}${formatCount(Math.abs(by))}%`;
}

/** Returns the runs that can be compared with `a`, those of the same flow first. */
export function candidates(runs: readonly RunSummary[], a: RunSummary): RunSummary[] {
  const others = runs.filter((r) => r.runId !== a.runId && r.status !== "running");
  return [...others.filter((r) => r.flow === a.flow), ...others.filter((r) => r.flow !== a.flow)];
}

/** Returns the parts of a text comparison that belong to one run: A has no added parts, B no removed ones. */
export function sideOf(parts: readonly DiffPart[], side: "a" | "b"): DiffPart[] {
  return parts.filter((part) => part.kind !== (side === "a" ? "added" : "removed"));
}

/**
 * Returns how many settings, nodes, wires and inputs differ. All of these were set before the runs started.
 */
export function askedDifferently({
  settings,
  structure,
  inputs,
}: Pick<RunComparison, "settings" | "structure" | "inputs">): number {
  return settings.length + structure.length + inputs.length;
}
