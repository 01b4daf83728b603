// The layout of the timeline, and the rows of the exit watch.
import { describe, expect, test } from "vitest";
import { kinds as testKinds } from "../../ipc/generated/recorded/program";
import type { LoopRecord } from "../../runs/fold/model";
import { emptyRun, foldAll, foldEvents } from "../../runs/fold/reduce";
import {
  type Body,
  checked,
  completed,
  events,
  failed,
  iteration,
  iterationDone,
  refine,
  runStarted,
  started,
} from "../../runs/fold/samples";
import { exitMeaning } from "../../runs/words/format";
import { ruleOf } from "./exit-rule";
import { exitWatch, itemWatch } from "./exit-watch";
import { layoutTimeline, MAX_SEGMENTS } from "./layout";
import { withLive } from "./use-similarities";

const all = events("r1", refine());
const timeOfEvent = (i: number) => Date.parse(all[i]?.at ?? "");
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

  test("what is to come can be expected to take what the others took, and to cost it where each has a price", () => {
    const { average } = layoutTimeline(done, 0, false, 3);
    expect(average?.ms).toBeCloseTo((700 + 700 + 600) / 3);
    expect(average?.usd).toBeCloseTo(0.000005, 9);
    const priced = (...prices: (number | null)[]) => ({
      ...done,
      iterations: done.iterations.map((one, i) => ({
        ...one,
        usage: { ...one.usage, cost_usd: prices[i] ?? null },
      })),
    });
    expect(layoutTimeline(priced(1, 2, 6), 0, false, 3).average?.usd).toBe(3);
    expect(layoutTimeline(priced(1, null, 6), 0, false, 3).average?.usd).toBeNull();
  });

  test("while it runs, what may still come has a segment without an iteration", () => {
    const cut = all.findIndex((e) => e.type === "workflow.node.iteration" && "index" in e && e.index === 1);
    const loop = loopOf(foldEvents(emptyRun("r1"), all.slice(0, cut + 1)));
    const layout = layoutTimeline(loop, timeOfEvent(cut) + 100, true, 2);
    expect(layout.segments.map((s) => s.iteration?.status ?? "to come")).toEqual([
      "completed",
      "running",
      "to come",
    ]);
    expect(layout.segments[1]?.elapsedMs).toBe(100);
  });

  test("a pause between two iterations is told, and one that still goes on", () => {
    const paused = done.iterations.map((one) => ({ ...one, startedAt: one.startedAt + one.number * 3_000 }));
    const iterations = paused.map((one) => ({ ...one, endedAt: one.startedAt + 200 }));
    const [first, second] = iterations;
    if (!first || !second) throw new Error("two iterations are needed");
    const pause = second.startedAt - first.startedAt - 200;
    const waits = (loop: LoopRecord, now: number, open: boolean) =>
      layoutTimeline(loop, now, open, 1).segments.map((s) => s.waitedMs);
    expect(waits({ ...done, iterations }, 0, false)).toEqual([null, pause, pause]);
    expect(waits(done, 0, false)).toEqual([null, null, null]);
    const begun = { ...done, iterations: [first], total: 3, exitReason: null };
    expect(waits(begun, first.startedAt + 1_700, true)).toEqual([null, 1_500, null]);
    expect(waits({ ...begun, iterations: [{ ...first, endedAt: null }] }, 9e15, true)).toEqual([
      null,
      null,
      null,
    ]);
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
    expect(layout.segments).toHaveLength(MAX_SEGMENTS);
    expect(layout.segments.some((s) => s.number === 250)).toBe(true);
    expect(layout.hiddenBefore + layout.hiddenAfter + MAX_SEGMENTS).toBe(500);
  });
});

describe("similarity points", () => {
  const estimates = new Map([
    [2, { value: 0.4, provisional: false }],
    [3, { value: 0.7, provisional: true }],
  ]);
  const measured = done.iterations.map((i) => i.similarity);
  const unmeasured = { ...done, iterations: done.iterations.map((i) => ({ ...i, similarity: null })) };

  test("an estimate stands where the engine did not measure, hollow while its iteration runs", () => {
    const { points } = layoutTimeline(unmeasured, 0, false, 3, estimates);
    expect(points.map((p) => [p.number, p.value, p.provisional])).toEqual([
      [2, 0.4, false],
      [3, 0.7, true],
    ]);
  });

  test("the engine's own figure comes first", () => {
    const { points } = layoutTimeline(done, 0, false, 3, estimates);
    expect(points.map((p) => p.value)).toEqual(measured.filter((v) => v !== null));
  });

  test("the iteration that runs is compared with as much of the one before", () => {
    const step = (text: string, status: string) => ({
      nodeId: "d",
      text,
      status,
      preview: "abcdef",
      loop: null,
    });
    const pass = (n: number, text: string, status: string) =>
      ({
        number: n,
        status,
        resultPreview: n === 1 ? "abcdef" : null,
        scope: { steps: { d: step(text, status) } },
      }) as never;
    const live = withLive(new Map(), [pass(1, "abcdef", "completed"), pass(2, "abX", "running")]);
    expect(live.get(2)).toEqual({ value: 1 - 1 / 3, provisional: true });
    // The few words written so far are equal, which says nothing about the rest of the text.
    const begun = withLive(new Map(), [pass(1, "abcdef", "completed"), pass(2, "a", "running")]);
    expect(begun.has(2)).toBe(false);
  });
});

const exits = testKinds.kinds.find((k) => k.type === "loop")?.exits ?? [];

describe("exitWatch", () => {
  const rows = (loop: LoopRecord, data: Record<string, unknown>, elapsedMs = 3000) =>
    exitWatch({ loop, data, exits, elapsedMs, iterationMs: 1000 });
  const row = (loop: LoopRecord, data: Record<string, unknown>, key: string) =>
    rows(loop, data).find((r) => r.key === key);

  test("counts towards the cap", () => {
    expect(row(done, {}, "max_iterations")).toMatchObject({
      says: "3 / 3",
      near: 1,
      fired: true,
      tone: "tone-met",
    });
  });

  test("an exhausted loop has the colour of a warning, never that of an exit that was met", () => {
    const exhausted = { ...done, exhausted: true };
    expect(row(exhausted, { exitCondition: "evaluator" }, "max_iterations")).toMatchObject({
      fired: true,
      tone: "tone-limit",
    });
    expect(row(exhausted, { exitCondition: "evaluator" }, "evaluator_done")).toMatchObject({
      fired: false,
      tone: null,
    });
  });

  test("stability is measured against its threshold, and off unless asked for", () => {
    const stable = { exitCondition: "stable_output", stabilityThreshold: 0.9 };
    expect(row(done, stable, "stable_output")).toMatchObject({ says: "0.80 / 0.9", on: true, fired: false });
    expect(row(done, {}, "stable_output")).toMatchObject({ says: "off · 0.80", on: false });
  });

  test("patience is counted in iterations running", () => {
    const twice = { exitCondition: "stable_output", stabilityThreshold: 0.8, patience: 2 };
    expect(row(done, twice, "stable_output")?.says).toMatch(/^0\.80 \/ 0\.8 · [12] of 2$/);
    expect(row(done, { ...twice, stabilityThreshold: 0.99 }, "stable_output")?.says).toBe(
      "0.80 / 0.99 · 0 of 2",
    );
  });

  const one = [runStarted(), started("refine", 5), iteration("refine", 0, 5), iterationDone("refine", 0)];
  const loopFrom = (more: readonly Body[]) => loopOf(foldAll("r1", events("r1", [...one, ...more])));

  test("the exit asked for comes first and says when it fired", () => {
    const met = loopFrom([completed("refine", { exit_reason: "evaluator_done", exhausted: false })]);
    expect(rows(met, { exitCondition: "evaluator" })[0]).toMatchObject({
      reason: "evaluator_done",
      says: "iteration 1",
      fired: true,
      near: 1,
    });
  });

  test("a condition says what its last check gave, and an end before any iteration", () => {
    const check = (result: boolean) => checked("refine", 0, result);
    const condition = { exitCondition: "condition" };
    expect(row(loopFrom([]), condition, "condition_met")?.says).toBe("not checked yet");
    expect(row(loopFrom([check(false)]), condition, "condition_met")?.says).toBe("false in 1");
    const atOnce = loopOf(
      foldAll(
        "r1",
        events("r1", [
          runStarted(),
          started("refine", 5),
          check(true),
          completed("refine", { exit_reason: "condition_met", exhausted: false, iterations_run: 0 }),
        ]),
      ),
    );
    expect(row(atOnce, condition, "condition_met")).toMatchObject({ says: "held at once", fired: true });
    const repeated = { ...condition, condition: { while: "loopCount < 0" } };
    expect(row(atOnce, repeated, "condition_met")?.says).toBe("false at once");
  });

  test("a loop may fail of itself, or of one of its nodes", () => {
    const failure = (inside: boolean) =>
      loopOf(
        foldAll(
          "r1",
          events("r1", [
            runStarted(),
            started("refine", 5),
            iteration("refine", 0),
            started("refine[1]/draft"),
            inside ? failed("refine[1]/draft", "refused") : completed("refine[1]/draft"),
            iterationDone("refine", 0, { status: "failed" }),
            failed("refine", "template_failed", {
              exit_reason: "error",
              exhausted: false,
              iterations_run: 0,
            }),
          ]),
        ),
      );
    const condition = { exitCondition: "condition" };
    const watched = (loop: LoopRecord) =>
      ["condition_met", "error"].map((reason) => row(loop, condition, reason)?.says);
    expect(watched(failure(false))).toEqual(["unknown", "the loop itself"]);
    expect(exitMeaning(failure(false))).toContain("itself");
    expect(watched(failure(true))).toEqual(["not checked yet", "a node failed"]);
    expect(exitMeaning(failure(true))).toBe("A node failed.");
    // When items run concurrently, the failed item need not be the last one.
    const loop = failure(true);
    const [first] = loop.iterations;
    if (!first) throw new Error("no iteration");
    const done = { ...first, number: 2, status: "completed", scope: { steps: {} } } as const;
    expect(exitMeaning({ ...loop, iterations: [first, done] })).toBe("A node failed.");
  });

  test("a score plateau says the best score, and for how long it has been no better", () => {
    const plateau = { exitCondition: "score_plateau", plateauDelta: 0.1, patience: 3 };
    const scored = (...scores: number[]) =>
      loopOf(
        foldAll(
          "r1",
          events("r1", [
            runStarted(),
            started("refine", 9),
            ...scores.flatMap((score, i) => [
              iteration("refine", i, 9),
              iterationDone("refine", i, { score }),
            ]),
          ]),
        ),
      );
    const says = (...scores: number[]) => row(scored(...scores), plateau, "score_plateau")?.says;
    expect(says()).toBe("no score yet");
    expect(says(5)).toBe("best 5 · 0 of 3");
    expect(says(5, 7, 6)).toBe("best 7 · 1 of 3");
    expect(says(0.5, 0.7, 0.8)).toBe("best 0.8 · 1 of 3");
    expect(says(5, 7, 6, 3)).toBe("best 7 · 2 of 3");
    expect(row(scored(5, 7, 6, 3), plateau, "score_plateau")?.near).toBeCloseTo(2 / 3);
    const met = loopFrom([completed("refine", { exit_reason: "score_plateau", exhausted: false })]);
    expect(rows(met, plateau)[0]).toMatchObject({
      reason: "score_plateau",
      fired: true,
      near: 1,
      tone: "tone-settled",
    });
    expect(rows(loopFrom([]), plateau)[0]).toMatchObject({ reason: "score_plateau", fired: false });
  });

  test("a rule counts only where rules decide", () => {
    const branches = [{ name: "done", when: "input | length > 0" }];
    const flow = (mode?: string) => ({
      nodes: [{ id: "judge", type: "router", position: { x: 0, y: 0 }, data: { mode, branches } }],
      edges: [],
    });
    expect(ruleOf(flow(), "judge", "done")).toBe("input | length > 0");
    expect(ruleOf(flow("rules"), "judge", "done")).toBe("input | length > 0");
    expect(ruleOf(flow("llm"), "judge", "done")).toBeNull();
    expect(ruleOf(flow("pattern"), "judge", "done")).toBeNull();
  });

  test("a condition and an evaluator's rule say their figures", () => {
    const condition = { exitCondition: "condition", condition: { until: "loopCount >= 6", test: "after" } };
    expect(row(done, condition, "condition_met")).toMatchObject({ says: "3 / 6", near: 0.5 });
    const before = { ...condition, condition: { until: "loopCount >= 6" } };
    expect(row(done, before, "condition_met")?.says).toBe("not checked yet");
    const rule = { node: "judge", when: "loopCount >= 4" };
    const data = { exitCondition: "evaluator" };
    const watched = { loop: done, data, exits, elapsedMs: 0, iterationMs: 0, rule };
    expect(exitWatch(watched)[0]).toMatchObject({ reason: "evaluator_done", says: "3 / 4", near: 0.75 });
  });

  test("a list is watched by its items", () => {
    const part = { ...done, total: 6, exitReason: null };
    expect(itemWatch(part).map((r) => [r.reason, r.says, r.fired])).toEqual([
      ["completed", "3 / 6", false],
      ["error", "none", false],
    ]);
    expect(itemWatch({ ...part, exitReason: "completed" })[0]).toMatchObject({
      fired: true,
      tone: "tone-met",
    });
  });

  test("limits are shown where they are set, each with how far it is", () => {
    const limits = { timeout: "PT10S", iterationTimeout: "PT4S", budgetUsd: 0.1, budgetTokens: 50_000 };
    expect(row(done, { limits }, "timeout")).toMatchObject({ says: "3.0 s / 10.0 s", near: 0.3 });
    expect(row(done, { limits }, "timeout-each")).toMatchObject({ says: "1.0 s / 4.0 s each", near: 0.25 });
    expect(row(done, { limits }, "budget_exceeded")?.says).toMatch(/ \/ \$0\.10$/);
    expect(row(done, { limits }, "budget-tokens")?.says).toMatch(/ \/ 50,000 tok$/);
    expect(row(done, {}, "timeout")).toBeUndefined();
    expect(row(done, {}, "budget_exceeded")).toBeUndefined();
  });

  test("of two time limits the one that was reached has fired", () => {
    const timed = { ...done, exitReason: "timeout" as const, exhausted: true };
    const limits = { timeout: "PT10S", iterationTimeout: "PT1S" };
    expect(row(timed, { limits }, "timeout")).toMatchObject({ fired: false, tone: null });
    expect(row(timed, { limits }, "timeout-each")).toMatchObject({ fired: true, tone: "tone-limit" });
  });
});
