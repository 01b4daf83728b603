// The layout of the timeline: the iterations, the rows, and the length of each bar. Pure.
import type { Iteration, LoopRecord } from "../../runs/fold/model";
import { pauseBefore } from "../../runs/fold/pauses";
import { type Estimates, similarityOf } from "./use-similarities";

/**
 * The maximum number of segments that remain readable. If there are more iterations, those around the shown
 * one are drawn.
 */
export const MAX_SEGMENTS = 40;

export type Bar = {
  readonly nodeId: string;
  /** The distance from the left edge of the segment, as a percentage of its width. */
  readonly left: number;
  readonly width: number;
  readonly state: "done" | "running" | "failed";
  /** The number of attempts, if more than one. */
  readonly tries?: number;
};

export type Segment = {
  readonly number: number;
  /** The iteration; null for a future iteration. */
  readonly iteration: Iteration | null;
  readonly elapsedMs: number | null;
  /**
   * The pause before the iteration, or the pause so far if the iteration is the next one; null without a
   * pause.
   */
  readonly waitedMs: number | null;
  readonly bars: readonly Bar[];
};

export type Point = {
  readonly number: number /** In percent of the chart, from the left and the top. */;
  readonly x: number;
  readonly y: number;
  readonly value: number;
  /** Whether the value may change because its iteration is still running. */
  readonly provisional: boolean;
};

/**
 * The expected size of a future iteration, averaged over the finished ones: milliseconds, and dollars if each
 * of them has a price.
 */
export type Average = { readonly ms: number; readonly usd: number | null };

export type TimelineLayout = {
  readonly segments: readonly Segment[];
  /** The body nodes in the order in which they first ran. */
  readonly rows: readonly string[];
  readonly average: Average | null;
  readonly points: readonly Point[];
  readonly hiddenBefore: number;
  readonly hiddenAfter: number;
};

/**
 * Returns which iterations have a segment while `shown` is viewed: the number of the first one, and how many
 * there are, including future ones.
 */
export function visibleSpan(
  loop: LoopRecord,
  open: boolean,
  shown: number,
): { readonly first: number; readonly length: number; readonly count: number } {
  const begun = loop.iterations.length;
  const count = open && loop.total !== null ? Math.max(loop.total, begun) : begun;
  const length = Math.min(count, MAX_SEGMENTS);
  const first = Math.max(1, Math.min(shown - Math.floor(length / 2), count - length + 1));
  return { first, length, count };
}

/**
 * Lays out the timeline. `estimates` contains the similarities that the engine did not measure, keyed by
 * iteration.
 */
export function layoutTimeline(
  loop: LoopRecord,
  now: number,
  open: boolean,
  shown: number,
  estimates: Estimates = new Map(),
): TimelineLayout {
  const { first, length, count } = visibleSpan(loop, open, shown);
  const visible = loop.iterations.slice(first - 1, first - 1 + length);
  const elapsed = (i: Iteration) => i.durationMs ?? Math.max(0, (i.endedAt ?? now) - i.startedAt);
  const scale = Math.max(1, ...visible.map(elapsed));
  const rows = rowsOf(loop.iterations);
  const segments = Array.from({ length }, (_, i): Segment => {
    const number = first + i;
    const iteration = loop.iterations[number - 1] ?? null;
    return {
      number,
      iteration,
      elapsedMs: iteration && elapsed(iteration),
      waitedMs: pauseBefore(loop, number, open ? now : null),
      bars: iteration === null ? [] : barsOf(iteration, rows, scale, now),
    };
  });
  const done = loop.iterations.filter((i) => i.status === "completed");
  return {
    segments,
    rows,
    average: averageOf(done, elapsed),
    points: pointsOf(visible, first, length, estimates),
    hiddenBefore: first - 1,
    hiddenAfter: count - (first + length - 1),
  };
}

function averageOf(done: readonly Iteration[], elapsed: (of: Iteration) => number): Average | null {
  if (done.length === 0) return null;
  let ms = 0;
  let usd: number | null = 0;
  // This loop allocates no objects, since it runs in every tick over up to thousands of iterations.
  for (const one of done) {
    ms += elapsed(one);
    const { cost_usd } = one.usage;
    usd = usd === null || cost_usd === null ? null : usd + cost_usd;
  }
  return { ms: ms / done.length, usd: usd && usd / done.length };
}

/**
 * Returns the nodes that ran in at least one of the first iterations; nodes that were always skipped are left
 * out.
 */
function rowsOf(iterations: readonly Iteration[]): string[] {
  const begun = new Map<string, number>();
  // The first iterations contain every node. Searching thousands of iterations would find the same nodes.
  for (const iteration of iterations.slice(0, 50)) {
    for (const step of Object.values(iteration.scope.steps)) {
      if (step.status === "skipped" || begun.has(step.nodeId)) continue;
      begun.set(step.nodeId, (step.startedAt ?? 0) - iteration.startedAt + iteration.number * 1e9);
    }
  }
  return [...begun].sort((a, b) => a[1] - b[1]).map(([id]) => id);
}

function barsOf(iteration: Iteration, rows: readonly string[], scale: number, now: number): Bar[] {
  return rows.flatMap((nodeId) => {
    const step = iteration.scope.steps[nodeId];
    if (!step || step.startedAt === null || step.status === "skipped") return [];
    const from = Math.max(0, step.startedAt - iteration.startedAt);
    const length = step.durationMs ?? Math.max(0, (step.endedAt ?? now) - step.startedAt);
    return [
      {
        nodeId,
        left: percent(from, scale),
        width: Math.min(percent(length, scale), 100 - percent(from, scale)),
        state: step.status === "running" ? "running" : step.status === "failed" ? "failed" : "done",
        ...(step.attempts > 1 ? { tries: step.attempts } : {}),
      } as const,
    ];
  });
}

function percent(part: number, whole: number): number {
  return Math.min(100, (part / whole) * 100);
}

/** Returns the lower end of the chart's scale: 0.5, or less if a value is lower. */
export function similarityFloor(values: readonly number[]): number {
  return Math.min(0.5, ...values.map((v) => Math.floor(v * 10) / 10));
}

export function similarityY(value: number, floor: number): number {
  return 10 + ((1 - value) / (1 - floor)) * 80;
}

function pointsOf(
  iterations: readonly Iteration[],
  first: number,
  length: number,
  estimates: Estimates,
): Point[] {
  const found = iterations.flatMap((i) => {
    const value = similarityOf(i, estimates);
    if (value === null) return [];
    const provisional = i.similarity === null && estimates.get(i.number)?.provisional === true;
    return [{ number: i.number, value, provisional }];
  });
  const floor = similarityFloor(found.map((p) => p.value));
  return found.map((p) => ({
    ...p,
    x: ((p.number - first + 0.5) / length) * 100,
    y: similarityY(p.value, floor),
  }));
}
