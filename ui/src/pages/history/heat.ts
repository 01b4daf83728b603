// The heat grid: one row per node, one column per iteration of a loop, one measure at a time. Pure.

import { totalTokens } from "../../runs/format";
import type { LoopRecord, Step } from "../../runs/model";

export const MEASURES = ["duration", "calls", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

export type Cell = {
  readonly nodeId: string;
  readonly number: number;
  /** Null where the node did not run in this iteration. */
  readonly value: number | null;
  readonly status: Step["status"] | null;
  readonly reason: string | null;
  /** 1 to 5, from little to most of what is in the grid. */
  readonly heat: number;
};

export type HeatGrid = {
  readonly rows: readonly {
    readonly nodeId: string;
    readonly cells: readonly Cell[];
    readonly total: number;
  }[];
  readonly numbers: readonly number[];
  readonly most: number;
};

export function measureOf(step: Step, measure: Measure): number {
  if (measure === "duration") return step.durationMs ?? 0;
  if (measure === "calls") return step.usage.calls;
  return totalTokens(step.usage);
}

/** The iterations given by `numbers`, for a loop too long to draw whole. */
export function heatGrid(loop: LoopRecord, measure: Measure, numbers: readonly number[]): HeatGrid {
  const ids = new Set<string>();
  for (const number of numbers) {
    for (const id of Object.keys(loop.iterations[number - 1]?.scope.steps ?? {})) ids.add(id);
  }
  const steps = [...ids].map((nodeId) => ({
    nodeId,
    steps: numbers.map((n) => loop.iterations[n - 1]?.scope.steps[nodeId] ?? null),
  }));
  // What was cut off has no measure that could stand beside the others.
  const ran = (s: Step | null): s is Step => s !== null && s.status !== "skipped" && s.status !== "cancelled";
  const most = Math.max(0, ...steps.flatMap((r) => r.steps.filter(ran).map((s) => measureOf(s, measure))));
  const rows = steps.map(({ nodeId, steps: row }) => ({
    nodeId,
    total: row.filter(ran).reduce((sum, s) => sum + measureOf(s, measure), 0),
    cells: row.map((step, i): Cell => {
      const value = ran(step) ? measureOf(step, measure) : null;
      return {
        nodeId,
        number: numbers[i] ?? 0,
        value,
        status: step?.status ?? null,
        reason: step?.reason ?? null,
        heat: heatOf(value ?? 0, most),
      };
    }),
  }));
  return { rows, numbers, most };
}

export function heatOf(value: number, most: number): number {
  if (most <= 0) return 1;
  return Math.min(5, Math.max(1, Math.ceil((value / most) * 5)));
}
