// The list of past runs, its store, the heat grid and the comparison.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { api, replaceBackend } from "../../ipc/client";
import type { LoopSide, RunQuery, RunSummary } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { iterationSide, runSummary } from "../../ipc/testing/values";
import { foldAll } from "../../runs/fold/reduce";
import { events, refine } from "../../runs/fold/samples";
import { formatBytes } from "../../runs/words/bytes";
import { heatOf } from "../../runs/words/heat-scale";
import { exportName } from "./actions";
import { candidates, compareMeasures, sideOf } from "./compare";
import { DAY_HEIGHT, isFiltered, layoutList, NO_FILTER, ROW_HEIGHT, toQuery, visibleRows } from "./filter";
import { heatGrid, moveInGrid } from "./heat";
import { indexOf, neighbourOf, PAGE, rowAt, useHistory } from "./store";

const NOW = new Date(2026, 4, 20, 15).getTime();
const run = (runId: string, more: Partial<RunSummary>): RunSummary =>
  runSummary({
    runId,
    flow: "Self-Refine",
    startedAt: new Date(NOW).toISOString(),
    exitReason: "evaluator_done",
    ...more,
  });
const DAY = 86_400_000;

describe("the list", () => {
  test("asks the store for what is filtered", () => {
    const query = toQuery({ ...NO_FILTER, search: "yeast", status: "failed", days: 7 }, NOW, 200, 100);
    expect(query).toEqual({
      statuses: ["failed"],
      starred: null,
      exitReasons: [],
      flow: null,
      since: NOW - 7 * DAY,
      until: null,
      text: "yeast",
      batch: null,
      limit: 100,
      offset: 200,
    });
    expect(isFiltered(NO_FILTER)).toBe(false);
    expect(isFiltered({ ...NO_FILTER, search: " " })).toBe(false);
    expect(isFiltered({ ...NO_FILTER, exit: "error" })).toBe(true);
  });

  test("has a heading where a day begins, and more room where a run can be resumed", () => {
    const list = [
      run("a", {}),
      run("b", { status: "interrupted" }),
      run("c", { startedAt: new Date(NOW - DAY).toISOString() }),
    ];
    const { tops, days } = layoutList(4, (i) => list[i], NOW);
    expect([...days]).toEqual([
      [0, "Today"],
      [2, "Yesterday"],
    ]);
    expect(tops[0]).toBe(DAY_HEIGHT);
    expect(tops[1]).toBe(DAY_HEIGHT + ROW_HEIGHT);
    expect((tops[2] ?? 0) - (tops[1] ?? 0)).toBeGreaterThan(ROW_HEIGHT + DAY_HEIGHT);
    // A fork below its original run has no day heading, even if it ran on another day.
    expect([
      ...layoutList(
        3,
        (i) => list[i],
        NOW,
        (id) => id === "c",
      ).days.keys(),
    ]).toEqual([0]);
    // The fourth row is not loaded, so it has a height but no day heading.
    expect((tops[4] ?? 0) - (tops[3] ?? 0)).toBe(ROW_HEIGHT);
  });

  test("of ten thousand runs only those in view are drawn", () => {
    const layout = layoutList(10_000, () => undefined, NOW);
    expect(visibleRows(layout, 0, 10 * ROW_HEIGHT)).toEqual([0, 10]);
    const [first, end] = visibleRows(layout, 5000 * ROW_HEIGHT + 1, 5010 * ROW_HEIGHT);
    expect([first, end]).toEqual([5000, 5010]);
    expect(visibleRows(layout, 9999 * ROW_HEIGHT, 20_000 * ROW_HEIGHT)).toEqual([9999, 10_000]);
    expect(
      visibleRows(
        layoutList(0, () => undefined, NOW),
        0,
        500,
      ),
    ).toEqual([0, 0]);
  });
});

describe("the store of the list", () => {
  const all = Array.from({ length: 250 }, (_, i) => run(`r${i}`, {}));
  let asked: RunQuery[] = [];
  beforeEach(() => {
    asked = [];
    replaceBackend({
      ...testBackend(),
      findRuns: async (query) => {
        asked.push(query);
        const found = query.statuses.includes("interrupted")
          ? []
          : all.filter((r) => r.runId.includes(query.text));
        return {
          runs: found.slice(query.offset, query.offset + query.limit),
          tally: { runs: found.length, spentUsd: null, medianMs: 1000 },
        };
      },
    });
    useHistory.setState({ pages: new Map(), tally: null, selected: null, compared: null, filter: NO_FILTER });
  });

  test("reads the first page, chooses the newest, and reads others once they are scrolled to", async () => {
    await useHistory.getState().reload();
    expect(useHistory.getState()).toMatchObject({ selected: "r0", failure: null });
    expect([...useHistory.getState().pages.keys()]).toEqual([0]);
    useHistory.getState().loadPage(2);
    useHistory.getState().loadPage(2);
    await vi.waitFor(() => expect(useHistory.getState().pages.has(2)).toBe(true));
    expect(asked.filter((q) => q.offset === 2 * PAGE)).toHaveLength(1);
    const { pages } = useHistory.getState();
    expect(rowAt(pages, 249)?.runId).toBe("r249");
    expect(rowAt(pages, 150)).toBeUndefined();
    expect(indexOf(pages, "r203")).toBe(203);
    expect(indexOf(pages, "nobody")).toBe(-1);
  });

  test("an answer to what was asked before the filter changed is not taken", async () => {
    await useHistory.getState().reload();
    const { findRuns } = api();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    replaceBackend({
      ...api(),
      findRuns: async (query) => {
        if (query.text === "r1") await held;
        return findRuns(query, null);
      },
    });
    useHistory.getState().setFilter({ search: "r1" });
    useHistory.getState().setFilter({ search: "r24" });
    await vi.waitFor(() => expect(useHistory.getState().tally?.runs).toBe(11));
    // The selected run, shown next to the list, is one of the results.
    expect(useHistory.getState().selected).toMatch(/^r24/);
    release();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(useHistory.getState().tally?.runs).toBe(11);
  });

  test("says why it cannot be read", async () => {
    replaceBackend({ ...api(), findRuns: () => Promise.reject(new Error("The store is busy.")) });
    await useHistory.getState().reload();
    expect(useHistory.getState().failure?.message).toBe("The store is busy.");
  });

  test("what another program wrote is found, and what lies further down stays read", async () => {
    await useHistory.getState().reload();
    useHistory.getState().loadPage(2);
    await vi.waitFor(() => expect(useHistory.getState().pages.has(2)).toBe(true));
    const before = useHistory.getState().pages;
    await useHistory.getState().look();
    expect(useHistory.getState().pages).toBe(before);

    // When one of the runs ends, only its row changes.
    const { findRuns } = api();
    replaceBackend({
      ...api(),
      findRuns: async (query) => {
        const { runs, tally } = await findRuns(query, null);
        return { tally, runs: runs.map((r) => (r.runId === "r1" ? { ...r, durationMs: 77 } : r)) };
      },
    });
    await useHistory.getState().look();
    const after = useHistory.getState().pages;
    expect(rowAt(after, 1)?.durationMs).toBe(77);
    expect(rowAt(after, 0)).toBe(rowAt(before, 0));
    expect(after.get(2)).toBe(before.get(2));

    // With a new run, the list is a different object.
    replaceBackend({
      ...api(),
      findRuns: async (query) => {
        const { runs, tally } = await findRuns(query, null);
        const added = query.offset === 0 && runs[0] ? [{ ...runs[0], runId: "new" }, ...runs] : runs;
        return { tally: { ...tally, runs: tally.runs + 1 }, runs: added };
      },
    });
    await useHistory.getState().look();
    expect(rowAt(useHistory.getState().pages, 0)?.runId).toBe("new");
    expect(useHistory.getState().selected).toBe("r0");
  });

  test("a list that could not be looked at stays, and one that could not be read is read again", async () => {
    await useHistory.getState().reload();
    const backend = api();
    replaceBackend({ ...backend, findRuns: () => Promise.reject(new Error("The store is busy.")) });
    await useHistory.getState().look();
    expect(useHistory.getState().failure).toBeNull();
    await useHistory.getState().reload();
    expect(useHistory.getState().failure?.message).toBe("The store is busy.");
    replaceBackend(backend);
    await useHistory.getState().look();
    expect(useHistory.getState().failure).toBeNull();
  });

  test("A and B change places", () => {
    useHistory.setState({ selected: "r1", compared: "r2" });
    useHistory.getState().swap();
    expect(useHistory.getState()).toMatchObject({ selected: "r2", compared: "r1" });
    useHistory.getState().select("r1");
    expect(useHistory.getState().compared).toBeNull();
  });
});

test("an exported run has a name that says what it is", () => {
  expect(exportName({ flow: "Self-Refine: über/alles", startedAt: "2026-03-01T13:40:09.000Z" })).toBe(
    "self-refine-über-alles 2026-03-01 1340.run.json",
  );
  expect(exportName({ flow: "…", startedAt: "2026-03-01T13:40:09.000Z" })).toBe(
    "run 2026-03-01 1340.run.json",
  );
});

test("sizes are written short", () => {
  expect([0, 999, 1000, 84_200_000, 1_250_000_000, 999_600].map(formatBytes)).toEqual([
    "0 bytes",
    "999 bytes",
    "1 kB",
    "84 MB",
    "1.3 GB",
    "1 MB",
  ]);
});

describe("the heat grid", () => {
  const loop = foldAll("r1", events("r1", refine())).root.steps.refine?.loop;
  if (!loop) throw new Error("the sample has a loop");

  test("has a row per node and a cell per iteration; a skipped node has no value", () => {
    const grid = heatGrid(loop, "duration", [1, 2, 3]);
    expect(grid.rows.map((r) => [r.nodeId, r.cells.map((c) => c.value)])).toEqual([
      ["draft", [300, 300, 300]],
      ["critique", [100, 100, null]],
    ]);
    expect(grid.rows[1]?.cells[2]).toMatchObject({
      ran: false,
      step: { status: "skipped", reason: "not run: last iteration" },
    });
    expect(grid.rows[0]?.total).toBe(900);
  });

  test("measures tokens and cost; a price that is not known makes the sum unknown", () => {
    const tokens = heatGrid(loop, "tokens", [1]).rows.map((r) => r.total);
    expect(tokens[0]).toBeGreaterThan(0);
    const unpriced = structuredClone(loop);
    const step = unpriced.iterations[0]?.scope.steps.draft as { usage: { cost_usd: number | null } };
    step.usage.cost_usd = null;
    const cost = heatGrid(unpriced, "cost", [1, 2]).rows[0];
    expect(cost?.total).toBeNull();
    expect(cost?.cells[0]).toMatchObject({ ran: true, value: null });
  });

  test("the keys of a grid", () => {
    expect(moveInGrid("ArrowDown", false, [0, 1], 2, 3)).toEqual([1, 1]);
    expect(moveInGrid("ArrowDown", false, [1, 1], 2, 3)).toEqual([1, 1]);
    expect(moveInGrid("ArrowLeft", false, [1, 0], 2, 3)).toEqual([1, 0]);
    expect(moveInGrid("End", false, [0, 0], 2, 3)).toEqual([0, 2]);
    expect(moveInGrid("End", true, [0, 0], 2, 3)).toEqual([1, 2]);
    expect(moveInGrid("Home", true, [1, 2], 2, 3)).toEqual([0, 0]);
    expect(moveInGrid("x", false, [0, 0], 2, 3)).toBeNull();
  });

  test("heat goes from 1 to 5", () => {
    expect([0, 1, 20, 21, 100].map((v) => heatOf(v, 100))).toEqual([1, 1, 1, 2, 5]);
    expect(heatOf(0, 0)).toBe(1);
  });

  test("nothing is hot where all are alike", () => {
    expect(heatOf(100, 100, 100)).toBe(1);
    expect([90, 100].map((v) => heatOf(v, 100, 90))).toEqual([1, 1]);
    expect([50, 100].map((v) => heatOf(v, 100, 50))).toEqual([3, 5]);
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
    const rows = Object.fromEntries(
      compareMeasures({ a, b, loops: [] }).map((r) => [r.name, [r.a, r.b, r.change, r.better]]),
    );
    expect(rows.Iterations).toEqual(["5", "3", "−2", true]);
    expect(rows.Duration).toEqual(["2 m 12 s", "58.4 s", "−56%", true]);
    expect(rows.Calls).toEqual(["10", "12", "+2", false]);
    expect(rows.Tokens).toEqual(["50", "50", "", null]);
  });

  test("a cost that is not known is not compared", () => {
    expect(compareMeasures({ a, b, loops: [] }).find((r) => r.name === "Cost")).toMatchObject({
      a: "$0.20",
      b: "not known",
      change: "",
    });
  });

  test("runs of the same flow are offered first, running ones not at all", () => {
    const others = [run("x", { flow: "Other" }), run("y", {}), run("z", { status: "running" }), a];
    expect(candidates(others, a).map((r) => r.runId)).toEqual(["y", "x"]);
  });

  test("a higher score is better", () => {
    const side = (score: number): LoopSide => ({
      count: 1,
      exitReason: "evaluator_done",
      exhausted: false,
      iterations: [iterationSide({ score })],
    });
    const loops = [{ path: "refine", a: side(9.1), b: side(8.2) }];
    expect(compareMeasures({ a, b, loops }).at(-1)).toEqual({
      name: "Score",
      a: "9.1",
      b: "8.2",
      change: "−0.9",
      better: false,
    });
  });

  test("each side shows what it has", () => {
    const parts = [
      { kind: "same" as const, text: "one " },
      { kind: "removed" as const, text: "two" },
      { kind: "added" as const, text: "three" },
    ];
    expect(sideOf(parts, "a").map((p) => p.text)).toEqual(["one ", "two"]);
    expect(sideOf(parts, "b").map((p) => p.text)).toEqual(["one ", "three"]);
  });
});

test("below a run that goes stands its neighbour: the next, or at the end the one before", () => {
  const run = (runId: string) => runSummary({ runId });
  const pages = new Map([[0, ["a", "b", "c"].map(run)]]);
  expect(["a", "b", "c", "none"].map((id) => neighbourOf(pages, id))).toEqual(["b", "c", "b", null]);
  expect(neighbourOf(new Map([[0, [run("a")]]]), "a")).toBeNull();
});
