// The heat grid: one row per node, one column per iteration of a loop, one measure at a time. Pure.

import type { Usage } from "../../ipc/generated/bindings";
import type { LoopRecord, Step } from "../../runs/fold/model";
import { totalTokens } from "../../runs/words/format";
import { heatOf } from "../../runs/words/heat-scale";

export const MEASURES = ["duration", "cost", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];

export type Cell = {
  readonly nodeId: string;
  readonly number: number;
  /**
   * The value in the unit of the measure. Null if the node did not run in this iteration, or if its cost is
   * unknown.
   */
  readonly value: number | null;
  readonly step: Step | null;
  /** Whether the node ran. False if the iteration is not loaded. */
  readonly ran: boolean;
  /** The level from 1 to 5, relative to the highest value in the grid. */
  readonly heat: number;
};

export type HeatGrid = {
  readonly rows: readonly {
    readonly nodeId: string;
    readonly cells: readonly Cell[];
    /** The total of the row; null if a part of it is unknown. */
    readonly total: number | null;
  }[];
  readonly numbers: readonly number[];
  readonly most: number;
};

/**
 * Returns the value of a measure in milliseconds, dollars or tokens; null if the measure is cost and a price
 * is unknown.
 */
export function measureOf(step: Pick<Step, "durationMs" | "usage">, measure: Measure): number | null {
  if (measure === "duration") return step.durationMs ?? 0;
  return ofUsage(step.usage, measure);
}

export function ofUsage(usage: Usage, measure: "cost" | "tokens"): number | null {
  if (measure === "tokens") return totalTokens(usage);
  return usage.calls === 0 ? 0 : usage.cost_usd;
}

/**
 * Returns the grid of a loop for the iterations in `numbers`. These are only a selection if the loop has too
 * many iterations to draw.
 */
export function heatGrid(loop: LoopRecord, measure: Measure, numbers: readonly number[]): HeatGrid {
  const ids = new Set<string>();
  for (const number of numbers) {
    for (const id of Object.keys(loop.iterations[number - 1]?.scope.steps ?? {})) ids.add(id);
  }
  const steps = [...ids].map((nodeId) => ({
    nodeId,
    steps: numbers.map((n) => loop.iterations[n - 1]?.scope.steps[nodeId] ?? null),
  }));
  // A cancelled step is left out, since its values are not comparable with those of complete steps.
  const ran = (s: Step | null): s is Step => s !== null && s.status !== "skipped" && s.status !== "cancelled";
  const values = steps.flatMap((r) => r.steps.filter(ran).map((s) => measureOf(s, measure) ?? 0));
  const most = Math.max(0, ...values);
  const least = Math.min(...values);
  const rows = steps.map(({ nodeId, steps: row }) => ({
    nodeId,
    total: sum(row.filter(ran).map((s) => measureOf(s, measure))),
    cells: row.map((step, i): Cell => {
      const value = ran(step) ? measureOf(step, measure) : null;
      return {
        nodeId,
        number: numbers[i] ?? 0,
        value,
        step,
        ran: ran(step),
        heat: heatOf(value ?? 0, most, least),
      };
    }),
  }));
  return { rows, numbers, most };
}

export function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>(
    (all, value) => (all === null || value === null ? null : all + value),
    0,
  );
}

/** Returns the cell to which a key moves from a row and column; null if the key does not move in a grid. */
export function moveInGrid(
  key: string,
  ctrl: boolean,
  at: readonly [row: number, column: number],
  rows: number,
  columns: number,
): [row: number, column: number] | null {
  const [row, column] = at;
  const clamp = (n: number, most: number) => Math.max(0, Math.min(most - 1, n));
  switch (key) {
    case "ArrowUp":
      return [clamp(row - 1, rows), column];
    case "ArrowDown":
      return [clamp(row + 1, rows), column];
    case "ArrowLeft":
      return [row, clamp(column - 1, columns)];
    case "ArrowRight":
      return [row, clamp(column + 1, columns)];
    case "Home":
      return [ctrl ? 0 : row, 0];
    case "End":
      return [ctrl ? rows - 1 : row, columns - 1];
    default:
      return null;
  }
}
