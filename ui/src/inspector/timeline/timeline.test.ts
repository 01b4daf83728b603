// The timeline's layout and the exit watch.
import { describe, expect, test } from "vitest";
import type { LoopRecord } from "../../runs/model";
import { emptyRun, fold, foldAll } from "../../runs/reduce";
import { completed, events, iteration, iterationDone, refine, runStarted, started } from "../../runs/samples";
import { exitWatch } from "./exit-watch";
import { layoutTimeline, MOST_SEGMENTS } from "./layout";

const all = events("r1", refine());
const at = (i: number) => Date.parse(all[i]?.at ?? "");
const loopOf = (state: ReturnType<typeof foldAll>, id = "refine"): LoopRecord => {
  const loop = state.root.steps[id]?.loop;
  if (!loop) throw new Error("no loop");
  return loop;
};
const done = loopOf(foldAll("r1", all));

describe("layoutTimeline", () => {
  test("a segment per iteration, a row per node that ran, in the order of the first iteration", () => {
    const layout = layoutTimeline(done, 0, false, 3);
    expect(layout.segments.map((s) => s.number)).toEqual([1, 2, 3]);
    expect(layout.rows).toEqual(["draft", "critique"]);
  });

  test("a node that was skipped has no bar there", () => {
    const layout = layoutTimeline(done, 0, false, 3);
    expect(layout.segments.map((s) => s.bars.map((b) => b.nodeId))).toEqual([
      ["draft", "critique"],
      ["draft", "critique"],
      ["draft"],
    ]);
  });

  test("bars share one scale and stay inside their segment", () => {
    for (const { bars } of layoutTimeline(done, 0, false, 3).segments) {
      for (const bar of bars) {
        expect(bar.left).toBeGreaterThanOrEqual(0);
        expect(bar.left + bar.width).toBeLessThanOrEqual(100.0001);
      }
    }
  });

  test("while it runs, what may still come has a segment without an iteration", () => {
    const cut = all.findIndex((e) => e.type === "workflow.node.iteration" && "index" in e && e.index === 1);
    const loop = loopOf(fold(emptyRun("r1"), all.slice(0, cut + 1)));
    const layout = layoutTimeline(loop, at(cut) + 100, true, 2);
    expect(layout.segments.map((s) => s.iteration?.status ?? "to come")).toEqual([
      "completed",
      "running",
      "to come",
    ]);
    expect(layout.segments[1]?.elapsedMs).toBe(100);
  });

  test("similarity points stand over their segments, higher for more alike", () => {
    const { points } = layoutTimeline(done, 0, false, 3);
    expect(points.map((p) => [p.number, Math.round(p.x)])).toEqual([
      [2, 50],
      [3, 83],
    ]);
    expect(points[1]?.y).toBeLessThan(points[0]?.y ?? 0);
  });

  test("a long loop shows the segments around the shown one", () => {
    const many = Array.from({ length: 500 }, (_, i) => [
      iteration("l", i, 500),
      iterationDone("l", i),
    ]).flat();
    const loop = loopOf(foldAll("r1", events("r1", [runStarted(), started("l", 500), ...many])), "l");
    const layout = layoutTimeline(loop, 0, false, 250);
    expect(layout.segments).toHaveLength(MOST_SEGMENTS);
    expect(layout.segments.some((s) => s.number === 250)).toBe(true);
    expect(layout.hiddenBefore + layout.hiddenAfter + MOST_SEGMENTS).toBe(500);
  });
});

describe("exitWatch", () => {
  const row = (loop: LoopRecord, data: Record<string, unknown>, reason: string) =>
    exitWatch(loop, data, 3000).find((r) => r.reason === reason);

  test("counts towards the cap", () => {
    expect(row(done, {}, "max_iterations")).toMatchObject({ says: "3 / 3", near: 1, fired: true });
  });

  test("stability is measured against its threshold, and off unless asked for", () => {
    expect(
      row(done, { exitCondition: "stable_output", stabilityThreshold: 0.9 }, "stable_output"),
    ).toMatchObject({
      says: "0.80 / 0.9",
      on: true,
      fired: false,
    });
    expect(row(done, {}, "stable_output")).toMatchObject({ says: "off · 0.80", on: false });
  });

  test("the exit asked for comes first and says when it fired", () => {
    const met = loopOf(
      foldAll(
        "r1",
        events("r1", [
          runStarted(),
          started("refine", 5),
          iteration("refine", 0, 5),
          iterationDone("refine", 0),
          completed("refine", { exit_reason: "evaluator_done", exhausted: false }),
        ]),
      ),
    );
    expect(exitWatch(met, { exitCondition: "evaluator" }, 0)[0]).toMatchObject({
      reason: "evaluator_done",
      says: "iteration 1",
      fired: true,
    });
  });

  test("limits are shown where they are set", () => {
    expect(row(done, { limits: { timeout: "PT10S" } }, "timeout")).toMatchObject({
      says: "3.0 s / 10.0 s",
      near: 0.3,
    });
    expect(row(done, {}, "timeout")).toBeUndefined();
  });
});
