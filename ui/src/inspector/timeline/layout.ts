// Where everything stands in the timeline: which iterations, which rows, how long each bar. Pure.
import type { Iteration, LoopRecord } from "../../runs/fold/model";
import { pauseBefore } from "../../runs/fold/pauses";
import { type Estimates, similarityOf } from "./use-similarities";

/** More segments than this say nothing; those around the shown iteration are drawn. */
export const MAX_SEGMENTS = 40;

export type Bar = {
  readonly nodeId: string;
  /** In percent of the segment. */
  readonly left: number;
  readonly width: number;
  readonly state: "done" | "running" | "failed";
  /** How often it was tried, where it was more than once. */
  readonly tries?: number;
};

export type Segment = {
  readonly number: number;
  /** Null for an iteration that may still come. */
  readonly iteration: Iteration | null;
  readonly elapsedMs: number | null;
  /** The pause before it, so far where it is to come next; null where there is none. */
  readonly waitedMs: number | null;
  readonly bars: readonly Bar[];
};

export type Point = {
  readonly number: number /** In percent of the chart, from the left and the top. */;
  readonly x: number;
  readonly y: number;
  readonly value: number;
  /** Of an iteration that still runs. */
  readonly provisional: boolean;
};

/** What an iteration takes that is to come, by those that are done: milliseconds, and dollars where each has a price. */
export type Average = { readonly ms: number; readonly usd: number | null };

export type TimelineLayout = {
  readonly segments: readonly Segment[];
  /** Body nodes in the order in which they first ran. */
  readonly rows: readonly string[];
  readonly average: Average | null;
  readonly points: readonly Point[];
  readonly hiddenBefore: number;
  readonly hiddenAfter: number;
};

/** The iterations that have a segment while `shown` is looked at: the first, and how many; with those that may still come. */
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

/** `estimates`: similarities by iteration, for those that the engine did not measure. */
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
  // Nothing is made on the way: this is asked in every tick, of a thousand iterations.
  for (const one of done) {
    ms += elapsed(one);
    const { cost_usd } = one.usage;
    usd = usd === null || cost_usd === null ? null : usd + cost_usd;
  }
  return { ms: ms / done.length, usd: usd && usd / done.length };
}

/** Nodes that took part, without those that never did anything but be skipped. */
function rowsOf(iterations: readonly Iteration[]): string[] {
  const begun = new Map<string, number>();
  // The first iterations name every node; looking through thousands would find the same ones.
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

/** Similarity runs from 0.5 to 1 on the chart, lower where a value is. */
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
