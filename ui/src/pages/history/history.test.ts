// The list of past runs and the heat grid.
import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../ipc/generated/bindings";
import { foldAll } from "../../runs/reduce";
import { events, refine } from "../../runs/samples";
import { candidates, compareRuns } from "./compare";
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
  forkedFrom: null,
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

describe("two runs compared", () => {
  const a = run("a", {
    durationMs: 131_500,
    iterations: 5,
    usage: { calls: 10, input_tokens: 40, output_tokens: 10, cost_usd: 0.2 },
  });
  const b = run("b", {
    durationMs: 58_400,
    iterations: 3,
    usage: { calls: 12, input_tokens: 40, output_tokens: 10, cost_usd: null },
  });

  test("says what changed from A to B, and whether for the better", () => {
    const rows = Object.fromEntries(compareRuns(a, b).map((r) => [r.name, [r.a, r.b, r.change, r.better]]));
    expect(rows.Iterations).toEqual(["5", "3", "−2", true]);
    expect(rows.Duration).toEqual(["2 m 12 s", "58.4 s", "−56%", true]);
    expect(rows.Calls).toEqual(["10", "12", "+2", false]);
    expect(rows.Tokens).toEqual(["50", "50", "", null]);
  });

  test("a cost that is not known is not compared", () => {
    expect(compareRuns(a, b).at(-1)).toMatchObject({ a: "$0.20", b: "not known", change: "" });
  });

  test("runs of the same flow are offered first, running ones not at all", () => {
    const others = [run("x", { flow: "Other" }), run("y", {}), run("z", { status: "running" }), a];
    expect(candidates(others, a).map((r) => r.runId)).toEqual(["y", "x"]);
  });
});
