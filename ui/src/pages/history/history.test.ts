// The list of past runs and the heat grid.
import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../ipc/generated/bindings";
import { foldAll } from "../../runs/reduce";
import { events, refine } from "../../runs/samples";
import { byDay, filterRuns, medianMs, NO_FILTER } from "./filter";
import { heatGrid, heatOf } from "./heat";

const NOW = new Date(2026, 4, 20, 15).getTime();
const run = (runId: string, more: Partial<RunSummary>): RunSummary => ({
  runId,
  flow: "Self-Refine",
  flowPath: null,
  status: "completed",
  startedAt: new Date(NOW).toISOString(),
  durationMs: 1000,
  usage: { calls: 1, input_tokens: 1, output_tokens: 1, cost_usd: 0 },
  warnings: [],
  iterations: 3,
  exitReason: "evaluator_done",
  ...more,
});
const runs = [
  run("a", {}),
  run("b", { flow: "Agentic Search", status: "failed", exitReason: "error", durationMs: 3000 }),
  run("c", { startedAt: new Date(NOW - 86_400_000).toISOString(), durationMs: null }),
];

describe("the list", () => {
  test("searches by every word, in name, state and exit reason", () => {
    const ids = (search: string) => filterRuns(runs, { ...NO_FILTER, search }).map((r) => r.runId);
    expect(ids("")).toEqual(["a", "b", "c"]);
    expect(ids("agentic failed")).toEqual(["b"]);
    expect(ids("refine error")).toEqual([]);
  });

  test("filters by state and by exit reason", () => {
    expect(filterRuns(runs, { ...NO_FILTER, status: "failed" }).map((r) => r.runId)).toEqual(["b"]);
    expect(filterRuns(runs, { ...NO_FILTER, exit: "evaluator_done" }).map((r) => r.runId)).toEqual([
      "a",
      "c",
    ]);
  });

  test("is cut into days, in its order", () => {
    expect(byDay(runs, NOW).map((d) => [d.day, d.runs.map((r) => r.runId)])).toEqual([
      ["Today", ["a", "b"]],
      ["Yesterday", ["c"]],
    ]);
  });

  test("the median leaves out what has not ended", () => {
    expect(medianMs(runs)).toBe(2000);
    expect(medianMs([])).toBeNull();
  });
});

describe("the heat grid", () => {
  const loop = foldAll("r1", events("r1", refine())).root.steps.refine?.loop;
  if (!loop) throw new Error("the sample has a loop");

  test("has a row per node and a cell per iteration; a skipped node has no value", () => {
    const grid = heatGrid(loop, "duration", [1, 2, 3]);
    expect(grid.rows.map((r) => [r.nodeId, r.cells.map((c) => c.value)])).toEqual([
      ["draft", [100, 100, 100]],
      ["critique", [100, 100, null]],
    ]);
    expect(grid.rows[1]?.cells[2]).toMatchObject({ status: "skipped", reason: "not run: last iteration" });
    expect(grid.rows[0]?.total).toBe(300);
  });

  test("measures calls as well", () => {
    expect(heatGrid(loop, "calls", [1]).rows.map((r) => r.total)).toEqual([1, 0]);
  });

  test("heat goes from 1 to 5", () => {
    expect([0, 1, 20, 21, 100].map((v) => heatOf(v, 100))).toEqual([1, 1, 1, 2, 5]);
    expect(heatOf(0, 0)).toBe(1);
  });
});
