// Folding events into the state of a run: live runs, stored runs, and runs that are nested, cancelled, failed
// or exhausted.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { shownIteration, shownLoop, shownPath, shownStep, stepIn } from "../view/view";
import { isPausing, ranFor, timeOf } from "./model";
import { emptyRun, endedAs, foldAll, foldEvents } from "./reduce";
import {
  asksAt,
  type Body,
  calls,
  checked,
  completed,
  events,
  failed,
  iteration,
  iterationDone,
  refine,
  retried,
  runCompleted,
  runFailed,
  runStarted,
  skipped,
  started,
  streamed,
} from "./samples";

const run = (bodies: Parameters<typeof events>[1]) => foldAll("r1", events("r1", bodies));

describe("a finished loop", () => {
  const state = run(refine());
  const loop = state.root.steps.refine?.loop;

  test("keeps every iteration with its own steps", () => {
    expect(loop?.iterations.map((i) => [i.number, i.status, i.scope.steps.draft?.preview])).toEqual([
      [1, "completed", "draft 1"],
      [2, "completed", "draft 2"],
      [3, "completed", "draft 3"],
    ]);
  });

  test("says why it ended, and that it was not exhausted", () => {
    expect(loop).toMatchObject({
      exitReason: "max_iterations",
      exhausted: false,
      iterationsRun: 3,
      total: 3,
    });
  });

  test("shows the last critique as not run", () => {
    expect(loop?.iterations[2]?.scope.steps.critique).toMatchObject({
      status: "skipped",
      reason: "not run: last iteration",
      skipCause: "last_iteration",
    });
  });

  test("keeps the measures of each iteration", () => {
    expect(loop?.iterations.map((i) => i.similarity)).toEqual([null, 0.7, 0.8]);
    expect(loop?.iterations.map((i) => i.resultPreview)).toEqual(["draft 1", "draft 2", "draft 3"]);
  });

  test("carries the run's end", () => {
    expect(state).toMatchObject({ status: "completed", durationMs: 3200, outputs: { result: "draft 3" } });
    expect(state.usage.calls).toBe(3);
  });

  test("knows which loops stand around a node", () => {
    expect(state.chains).toEqual({
      topic: [],
      refine: [],
      draft: ["refine"],
      critique: ["refine"],
      exit: [],
      out: [],
    });
    expect(state.loopIds).toEqual(["refine"]);
  });

  test("joins streamed pieces and keeps them out of the log", () => {
    expect(loop?.iterations[1]?.scope.steps.draft).toMatchObject({ text: "draft 2", pieces: 2 });
    expect(state.log.some((e) => e.type === "workflow.node.streaming")).toBe(false);
    expect(state.log).toHaveLength(refine().length - 6);
  });
});

describe("a live run", () => {
  test("gives the same state however its events are cut into frames", () => {
    const all = events("r1", refine());
    const whole = foldAll("r1", all);
    for (const size of [1, 2, 3, 7]) {
      let state = emptyRun("r1");
      for (let i = 0; i < all.length; i += size) state = foldEvents(state, all.slice(i, i + size));
      expect(state).toEqual(whole);
    }
  });

  test("out of the store, without streaming, differs by the streamed text alone", () => {
    const all = events("r1", refine());
    const stored = foldAll(
      "r1",
      all.filter((e) => e.type !== "workflow.node.streaming"),
    );
    const blank = (value: unknown) =>
      JSON.stringify(value, (key, v) => (key === "text" ? "" : key === "pieces" ? 0 : v));
    expect(blank(stored)).toBe(blank(foldAll("r1", all)));
  });

  test("leaves earlier states as they were", () => {
    const all = events("r1", refine());
    const before = foldEvents(emptyRun("r1"), all.slice(0, 10));
    const copy = structuredClone(before);
    foldEvents(before, all.slice(10));
    expect(before).toEqual(copy);
  });

  test("a token touches only the objects on its path", () => {
    const all = events("r1", refine());
    const cut = all.findIndex((e) => e.type === "workflow.node.streaming" && e.path === "refine[2]/draft");
    const before = foldEvents(emptyRun("r1"), all.slice(0, cut));
    const after = foldEvents(before, all.slice(cut, cut + 1));
    expect(after.root.steps.topic).toBe(before.root.steps.topic);
    expect(after.root.steps.refine?.loop?.iterations[0]).toBe(before.root.steps.refine?.loop?.iterations[0]);
    expect(after.log).toBe(before.log);
    expect(after.root.steps.refine?.loop?.iterations[1]).not.toBe(
      before.root.steps.refine?.loop?.iterations[1],
    );
  });

  test("counts an iteration's calls before its sum arrives, and takes the sum then", () => {
    const bodies = [
      runStarted(),
      started("l", 2),
      iteration("l", 0, 2),
      started("l[1]/a"),
      completed("l[1]/a", { usage: calls(1, 10, 0.5) }),
    ];
    const open = run(bodies);
    expect(open.usage).toEqual(calls(1, 10, 0.5));
    expect(open.root.steps.l?.loop?.iterations[0]?.usage).toEqual(calls(1, 10, 0.5));
    const done = run([...bodies, iterationDone("l", 0, { usage: calls(2, 11, 0.7) })]);
    expect(done.root.steps.l?.loop?.iterations[0]?.usage).toEqual(calls(2, 11, 0.7));
  });

  test("counts what a step used that failed or was cut off", () => {
    const cutOff = { ...calls(1, 0, null), cut_off_calls: 1 };
    const bodies = [
      runStarted(),
      started("l", 2),
      iteration("l", 0, 2),
      started("l[1]/a"),
      completed("l[1]/a", { usage: calls(1, 10, 0.5) }),
      started("l[1]/b"),
      failed("l[1]/b", "cancelled", { usage: cutOff }),
    ];
    const state = run(bodies);
    const first = state.root.steps.l?.loop?.iterations[0];
    expect(first?.scope.steps.b).toMatchObject({ status: "cancelled", usage: cutOff });
    const sum = { calls: 2, input_tokens: 10, cost_usd: null, cut_off_calls: 1 };
    expect(state.usage).toMatchObject(sum);
    expect(first?.usage).toMatchObject(sum);
    expect(state.root.steps.l?.usage).toMatchObject(sum);
    const done = run([...bodies, iterationDone("l", 0, { usage: state.usage, status: "cancelled" })]);
    expect(done.root.steps.l?.usage).toMatchObject(sum);
    expect(done.usage).toMatchObject(sum);
  });

  test("one call of unknown cost makes the sum unknown", () => {
    const state = run([
      runStarted(),
      started("a"),
      completed("a", { usage: calls(1, 1, 0.5) }),
      started("b"),
      completed("b", { usage: calls(1, 1, null) }),
    ]);
    expect(state.usage).toMatchObject({ calls: 2, cost_usd: null });
  });

  test("a retried node starts its text anew", () => {
    const half = run([runStarted(), started("a"), streamed("a", "half"), retried("a", 1, 2000)]);
    const { startedAt } = half.root.steps.a ?? {};
    expect(half.root.steps.a).toMatchObject({
      text: "",
      pieces: 0,
      attempts: 2,
      status: "running",
      retried: { code: "http_429", until: half.lastAt + 2000, of: 4 },
    });
    const again = foldEvents(half, events("r", [streamed("a", "whole")]));
    expect(again.root.steps.a).toMatchObject({ text: "whole", attempts: 2, startedAt });
  });

  test("an answer that does not move is silent until it moves, and is no event of the log", () => {
    const silent = (for_ms: number): Body => ({
      type: "workflow.node.silent",
      path: "a",
      for_ms,
      limit_ms: 120_000,
    });
    const bodies = [runStarted(), started("a"), streamed("a", "half"), silent(15_000)];
    const state = run(bodies);
    expect(state.root.steps.a?.silence).toEqual({ since: state.lastAt - 15_000, limitMs: 120_000 });
    expect(state.log.map(({ type }) => type)).toEqual(["workflow.started", "workflow.node.started"]);
    for (const next of [streamed("a", " whole"), silent(0), retried("a", 1, 0)])
      expect(run([...bodies, next]).root.steps.a?.silence).toBeNull();
  });

  test("a node that is started again starts its text anew", () => {
    const bodies = [runStarted(), started("a"), retried("a", 1, 0), streamed("a", "half"), started("a")];
    const state = run([...bodies, streamed("a", "whole")]);
    expect(state.root.steps.a).toMatchObject({ text: "whole", attempts: 3, retried: null });
  });
});

describe("nested loops", () => {
  const state = run([
    runStarted(),
    started("outer", 2),
    iteration("outer", 0, 2),
    started("outer[1]/inner", 4),
    iteration("outer[1]/inner", 0, 4),
    started("outer[1]/inner[1]/call"),
    completed("outer[1]/inner[1]/call", { preview: "o1 i1", usage: calls(1) }),
    iterationDone("outer[1]/inner", 0),
    iteration("outer[1]/inner", 1, 4),
    started("outer[1]/inner[2]/call"),
    completed("outer[1]/inner[2]/call", { preview: "o1 i2", usage: calls(1) }),
    iterationDone("outer[1]/inner", 1),
    completed("outer[1]/inner", { exit_reason: "stable_output", iterations_run: 2, usage: calls(2) }),
    iterationDone("outer", 0, { usage: calls(2) }),
    iteration("outer", 1, 2),
    started("outer[2]/inner", 4),
    iteration("outer[2]/inner", 0, 4),
    started("outer[2]/inner[1]/call"),
    streamed("outer[2]/inner[1]/call", "o2 i1"),
  ]);

  test("an inner loop starts afresh in every outer iteration", () => {
    const inner = (k: number) => state.root.steps.outer?.loop?.iterations[k - 1]?.scope.steps.inner?.loop;
    expect(inner(1)).toMatchObject({ path: "outer[1]/inner", current: 2, exitReason: "stable_output" });
    expect(inner(2)).toMatchObject({ path: "outer[2]/inner", current: 1, exitReason: null, total: 4 });
    expect(state.chains.call).toEqual(["outer", "inner"]);
    expect(state.loopIds).toEqual(["outer", "inner"]);
  });

  test("counts each call once", () => {
    expect(state.usage.calls).toBe(2);
  });

  test("shows what is chosen at each level", () => {
    expect(shownStep(state, {}, "call")?.text).toBe("o2 i1");
    expect(shownStep(state, { outer: 1 }, "call")?.preview).toBe("o1 i2");
    expect(shownStep(state, { outer: 1, inner: 1 }, "call")?.preview).toBe("o1 i1");
    expect(shownPath(state, { outer: 1, inner: 1 }, "call")).toBe("outer[1]/inner[1]/call");
    expect(shownLoop(state, { outer: 1 }, "inner")?.exitReason).toBe("stable_output");
    expect(stepIn(state, { outer: 1 }, "call", 1)?.preview).toBe("o1 i1");
  });

  test("a choice that an inner loop has not reached shows its newest", () => {
    expect(shownStep(state, { inner: 2 }, "call")?.text).toBe("o2 i1");
  });
});

describe("the choice", () => {
  test("stays while the run goes on", () => {
    const all = events("r1", refine());
    let state = emptyRun("r1");
    const seen: (number | undefined)[] = [];
    for (const event of all) {
      state = foldEvents(state, [event]);
      const loop = state.root.steps.refine?.loop;
      if (loop && loop.iterations.length >= 1) seen.push(shownIteration(loop, { refine: 1 })?.number);
    }
    expect(new Set(seen)).toEqual(new Set([1]));
  });

  test("without one the newest is shown", () => {
    const all = events("r1", refine());
    const numbers: number[] = [];
    let state = emptyRun("r1");
    for (const event of all) {
      state = foldEvents(state, [event]);
      const loop = state.root.steps.refine?.loop;
      const shown = loop && shownIteration(loop, {})?.number;
      if (shown && numbers.at(-1) !== shown) numbers.push(shown);
    }
    expect(numbers).toEqual([1, 2, 3]);
  });
});

describe("a run that does not end well", () => {
  test("cancelled: what was going on is cancelled, what was done stays", () => {
    const state = run([
      runStarted(),
      started("l", 3),
      iteration("l", 0),
      started("l[1]/a"),
      completed("l[1]/a"),
      iterationDone("l", 0),
      iteration("l", 1),
      started("l[2]/a"),
      streamed("l[2]/a", "half a sen"),
      runFailed("cancelled", "cancelled"),
    ]);
    expect(state.status).toBe("cancelled");
    const loop = state.root.steps.l?.loop;
    expect(loop?.exitReason).toBe("cancelled");
    expect(loop?.iterations.map((i) => i.status)).toEqual(["completed", "cancelled"]);
    expect(loop?.iterations[1]?.scope.steps.a).toMatchObject({ status: "cancelled", text: "half a sen" });
    expect(loop?.iterations[0]?.scope.steps.a?.status).toBe("completed");
  });

  test("failed: the error is on the node, the iterations before it are kept", () => {
    const state = run([
      runStarted(),
      started("l", 3),
      iteration("l", 0),
      started("l[1]/a"),
      completed("l[1]/a"),
      iterationDone("l", 0),
      iteration("l", 1),
      started("l[2]/a"),
      failed("l[2]/a", "rate_limited"),
      iterationDone("l", 1, { status: "failed" }),
      failed("l", "rate_limited", { exit_reason: "error", iterations_run: 1 }),
      { ...runFailed("failed", "rate_limited"), node_id: "a" },
    ]);
    expect(state.error).toEqual({
      code: "rate_limited",
      message: "the run ended: rate_limited",
      nodeId: "a",
    });
    const loop = state.root.steps.l?.loop;
    expect(loop?.iterations.map((i) => i.status)).toEqual(["completed", "failed"]);
    expect(loop).toMatchObject({ exitReason: "error", iterationsRun: 1 });
    expect(loop?.iterations[1]?.scope.steps.a?.error?.code).toBe("rate_limited");
  });

  test("an exhausted loop is not a met one", () => {
    const state = run([
      runStarted(),
      started("l", 1),
      iteration("l", 0, 1),
      iterationDone("l", 0),
      completed("l", { exit_reason: "max_iterations", exhausted: true, iterations_run: 1 }),
      runCompleted(),
    ]);
    expect(state.root.steps.l?.loop).toMatchObject({ exitReason: "max_iterations", exhausted: true });
  });

  test("a timeout cuts the iteration in hand short", () => {
    const state = run([
      runStarted(),
      started("l", 3),
      iteration("l", 0),
      started("l[1]/a"),
      completed("l", { exit_reason: "timeout", exhausted: true, iterations_run: 0 }),
    ]);
    expect(state.root.steps.l?.loop?.iterations[0]?.scope.steps.a?.status).toBe("cancelled");
  });

  test("cut off where nothing could be recorded any more: it stands as it was seen", () => {
    const state = run([
      runStarted(),
      started("a"),
      completed("a", { usage: calls(2) }),
      { ...runFailed("interrupted", "interrupted"), duration_ms: 0 },
    ]);
    expect(state).toMatchObject({ status: "interrupted", durationMs: 300, usage: calls(2) });
  });

  test("interrupted and resumed: it runs again", () => {
    const state = run([
      runStarted(),
      started("a"),
      runFailed("interrupted", "interrupted"),
      runStarted(),
      started("a"),
    ]);
    expect(state).toMatchObject({ status: "running", error: null, endedAt: null });
    expect(state.root.steps.a).toMatchObject({ status: "running", attempts: 2 });
  });
});

test("a loop that ends before its first iteration keeps the check", () => {
  const state = run([
    runStarted(),
    started("l", 3),
    checked("l", 0, true),
    completed("l", { exit_reason: "condition_met", iterations_run: 0, exhausted: false }),
  ]);
  expect(state.root.steps.l?.loop).toMatchObject({
    lastCheck: { index: 0, result: true },
    iterations: [],
    exitReason: "condition_met",
  });
});

test("an iterator's items may start in any order", () => {
  const state = run([
    runStarted(),
    started("each"),
    iteration("each", 1, 2),
    started("each[2]/call"),
    iteration("each", 0, 2),
    started("each[1]/call"),
    completed("each[2]/call", { preview: "second" }),
    completed("each[1]/call", { preview: "first" }),
  ]);
  const loop = state.root.steps.each?.loop;
  expect(loop?.iterations.map((i) => i.scope.steps.call?.preview)).toEqual(["first", "second"]);
});

test("a waiting node says what for, and a skipped branch why", () => {
  const state = run([
    runStarted(),
    started("ask"),
    asksAt("ask"),
    skipped("other", "branch not taken", "branch_not_taken"),
  ]);
  expect(state.root.steps.ask).toMatchObject({ status: "waiting", reason: "Publish?" });
  expect(state.root.steps.other).toMatchObject({
    status: "skipped",
    reason: "branch not taken",
    skipCause: "branch_not_taken",
  });
});

test("a run that is resumed goes on waiting where it did", () => {
  const asks = asksAt("ask");
  const continued = { type: "workflow.continued" as const };
  expect(run([runStarted(), started("ask"), asks, continued]).status).toBe("waiting");
  expect(run([runStarted(), started("ask"), continued]).status).toBe("running");
});

describe("a run that waits for a person", () => {
  test("waits as a whole once nothing else goes on, and goes on after the answer", () => {
    const bodies = [runStarted(), started("a"), started("ask"), asksAt("ask")];
    expect(run(bodies).status).toBe("running");
    const both = [...bodies, completed("a")];
    expect(run(both)).toMatchObject({ status: "waiting", waiting: ["ask"] });
    const answered = [...both, completed("ask", { branch: "approved" }), started("b")];
    expect(run(answered)).toMatchObject({ status: "running", waiting: [] });
  });

  test("also when the question is inside a loop", () => {
    const state = run([
      runStarted(),
      started("l", 2),
      iteration("l", 0, 2),
      started("l[1]/ask"),
      asksAt("l[1]/ask"),
    ]);
    expect(state).toMatchObject({ status: "waiting", waiting: ["l[1]/ask"] });
  });
});

test("a run whose events stop short ends as the store says", () => {
  const state = run([runStarted(), started("l", 2), iteration("l", 0, 2), started("l[1]/a")]);
  const ended = endedAs(state, "interrupted");
  expect(ended.status).toBe("interrupted");
  expect(ended.root.steps.l?.loop?.iterations[0]?.scope.steps.a?.status).toBe("cancelled");
  expect(state.status).toBe("running");
  expect(endedAs(state, "running")).toBe(state);
});

test("a subflow's inner nodes stay inside it", () => {
  const state = run([
    runStarted(),
    started("sub"),
    started("sub/draft"),
    completed("sub/draft", { preview: "inner", usage: calls(1) }),
    completed("sub", { usage: calls(1) }),
    started("draft"),
    completed("draft", { preview: "outer", usage: calls(1) }),
  ]);
  expect(state.root.steps.sub?.inner?.steps.draft?.preview).toBe("inner");
  expect(state.chains.draft).toEqual([]);
  expect(shownStep(state, {}, "draft")?.preview).toBe("outer");
  expect(state.usage.calls).toBe(2);
});

describe("for how long a run has run", () => {
  const at = (ms: number) => Date.UTC(2026, 0, 1) + ms;
  const dated = (bodies: Parameters<typeof events>[1], times: readonly number[]) =>
    events("r1", bodies).map((event, i) => ({ ...event, at: new Date(at(times[i] ?? 0)).toISOString() }));

  test("a pause is no part of it, nor the time until somebody answered", () => {
    const paused = { type: "workflow.paused" as const };
    const continued = { type: "workflow.continued" as const };
    const all = dated(
      [runStarted(), started("plan"), paused, completed("plan"), continued, started("draft"), runStarted()],
      [0, 100, 2_000, 3_000, 60_000, 60_100, 90_000],
    );
    const upTo = (count: number) => foldAll("r1", all.slice(0, count));
    expect(ranFor(emptyRun("r1"), at(0))).toBeNull();
    expect(ranFor(upTo(2), at(1_500))).toBe(1_500);
    // The pause begins only when the running steps have ended, which takes time.
    expect(isPausing(upTo(3))).toBe(true);
    expect(ranFor(upTo(3), at(2_500))).toBe(2_500);
    expect(isPausing(upTo(4))).toBe(false);
    expect(ranFor(upTo(4), at(50_000))).toBe(3_000);
    expect(ranFor(upTo(5), at(60_500))).toBe(3_500);
    // The run is resumed after a restart of the program.
    expect(ranFor(upTo(7), at(90_400))).toBe(3_500);
    // The log shows the same times.
    expect(all.map((event) => timeOf(upTo(7), event))).toEqual([0, 100, 2_000, 3_000, 3_000, 3_100, 3_100]);
  });

  test("nor a sleep of the computer, which is a warning of the run", () => {
    const slept = { type: "workflow.slept" as const, slept_ms: 60_000, message: "The computer slept." };
    const all = dated([runStarted(), started("plan"), slept, completed("plan")], [0, 100, 61_000, 61_500]);
    const state = foldAll("r1", all);
    expect(ranFor(state, at(62_000))).toBe(2_000);
    expect(all.map((event) => timeOf(state, event))).toEqual([0, 100, 1_000, 1_500]);
    expect(state.root.steps.plan?.durationMs).toBe(completed("plan").duration_ms);
    expect(state.warnings).toEqual([{ code: "computer_slept", node: null, message: "The computer slept." }]);
  });

  test("nor the time in which all waited for an answer, also before the run is resumed", () => {
    const asks = asksAt("ask");
    const state = foldAll(
      "r1",
      dated(
        [runStarted(), started("ask"), asks, completed("ask"), started("draft")],
        [0, 10, 20, 70_020, 70_030],
      ),
    );
    expect(ranFor(state, at(70_130))).toBe(130);
  });

  test("what had ended in an open iteration keeps its place in it", () => {
    const state = foldAll(
      "r1",
      dated(
        [
          runStarted(),
          started("refine"),
          iteration("refine", 0, 3),
          started("refine[1]/draft"),
          completed("refine[1]/draft"),
          started("refine[1]/critic"),
          runStarted(),
        ],
        [0, 0, 0, 100, 400, 400, 60_400],
      ),
    );
    const first = state.root.steps.refine?.loop?.iterations[0];
    const draft = first?.scope.steps.draft;
    expect([draft?.startedAt, draft?.endedAt].map((time) => (time ?? 0) - (first?.startedAt ?? 0))).toEqual([
      100, 400,
    ]);
  });

  test("what was under way stood still as well", () => {
    const loop = [runStarted(), started("plan"), completed("plan"), started("draft"), runStarted()];
    const state = foldAll("r1", dated(loop, [0, 100, 200, 300, 60_300]));
    expect(state.root.steps.draft?.startedAt).toBe(at(60_300));
    expect(state.root.steps.plan?.startedAt).toBe(at(100));
  });

  test("it is never less than nothing, and stays when the run is over", () => {
    const all = dated([runStarted(), runCompleted()], [0, 1_234]);
    expect(ranFor(foldAll("r1", all.slice(0, 1)), at(-40))).toBe(0);
    expect(ranFor(foldAll("r1", all), at(9_000))).toBe(1_234);
  });
});
