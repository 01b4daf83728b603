// The content of cards and badges at each moment of a run, live and at a chosen iteration.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { emptyRun, foldAll, foldEvents } from "../fold/reduce";
import {
  type Body,
  completed,
  events,
  failed,
  iteration,
  iterationDone,
  refine,
  runFailed,
  runStarted,
  started,
  streamed,
} from "../fold/samples";
import { loopRun, nodeRun, stateOfAll } from "./node-run";

const all = events("r1", refine());
const done = foldAll("r1", all);
/** Returns the run up to and including the matching event. */
function until(type: string, path: string, nth = 1) {
  let seen = 0;
  const at = all.findIndex((e) => e.type === type && e.path === path && ++seen === nth);
  return foldEvents(emptyRun("r1"), all.slice(0, at + 1));
}

describe("nodeRun", () => {
  test("without a run everything is idle", () => {
    expect(nodeRun(null, {}, "draft").state).toBe("idle");
  });

  test("streams the text of the newest iteration", () => {
    const run = until("workflow.node.streaming", "refine[2]/draft", 2);
    expect(nodeRun(run, {}, "draft")).toMatchObject({
      state: "running",
      streaming: true,
      preview: "draft 2",
      iteration: 2,
      iterationTotal: 3,
    });
  });

  test("a branching node shows its branch and why, also while it writes", () => {
    const facts = { branching: true };
    const judge = "judge";
    const fold = (...more: Body[]) => foldAll("r1", events("r1", [runStarted(), started(judge), ...more]));
    const wrote = fold(streamed(judge, '{"branch": "done", "reason": "Every'), streamed(judge, " source"));
    expect(nodeRun(wrote, {}, judge, facts)).toMatchObject({
      streaming: true,
      preview: "→ done: Every source",
    });
    expect(nodeRun(wrote, {}, judge).preview).toContain('{"branch"');
    const over = fold(completed(judge, { branch: "done", reason: "Every source is named." }));
    expect(nodeRun(over, {}, judge, facts).preview).toBe("→ done: Every source is named.");
    const silent = fold(completed(judge, { branch: "valid" }));
    expect(nodeRun(silent, {}, judge, facts).preview).toBe("→ valid");
  });

  test("an older iteration stays as it was while a newer one streams", () => {
    const run = until("workflow.node.streaming", "refine[2]/draft", 1);
    expect(nodeRun(run, { refine: 1 }, "draft")).toMatchObject({
      state: "done",
      streaming: false,
      preview: "draft 1",
      iteration: 1,
    });
  });

  test("what is to come is queued, also before any event has named it", () => {
    const early = until("workflow.node.started", "topic");
    expect(nodeRun(early, {}, "draft", { region: "refine" }).state).toBe("queued");
    const second = until("workflow.node.started", "refine[2]/draft");
    expect(nodeRun(second, {}, "critique")).toMatchObject({ state: "queued", iteration: 2 });
    expect(nodeRun(second, { refine: 1 }, "critique")).toMatchObject({ state: "done", iteration: 1 });
  });

  test("what is not over can be expected to go as in the iteration before", () => {
    const second = until("workflow.node.started", "refine[2]/draft");
    expect(nodeRun(second, {}, "draft").before).toMatchObject({ path: "refine[1]/draft", durationMs: 300 });
    expect(nodeRun(second, {}, "critique").before).toMatchObject({ path: "refine[1]/critique" });
    expect(nodeRun(second, { refine: 1 }, "critique").before).toBeNull();
    expect(nodeRun(until("workflow.node.started", "refine[1]/draft"), {}, "draft").before).toBeNull();
    expect(nodeRun(done, {}, "draft").before).toBeNull();
  });

  test("a loop that runs has what its iterations used so far", () => {
    const second = until("workflow.node.completed", "refine[2]/draft");
    expect(nodeRun(second, {}, "refine").usage).toMatchObject({ calls: 2, input_tokens: 8 });
    expect(nodeRun(until("workflow.node.started", "refine[1]/draft"), {}, "refine").usage).toBeNull();
  });

  test("says why a node did not run", () => {
    expect(nodeRun(done, {}, "critique")).toMatchObject({
      state: "skipped",
      skippedReason: "not run: last iteration",
      skipCause: "last_iteration",
    });
    expect(nodeRun(done, {}, "never").skippedReason).toBe("not reached");
  });

  test("a branching node shows the branch that it took", () => {
    const run = foldAll(
      "r1",
      events("r1", [
        runStarted(),
        started("a"),
        completed("a", { branch: "done", preview: '{"selectedBranch":' }),
      ]),
    );
    expect(nodeRun(run, {}, "a").preview).toBe("→ done");
  });

  test("a note never runs", () => {
    expect(nodeRun(done, {}, "note", { annotation: true }).state).toBe("idle");
  });

  test("a failed node carries its message", () => {
    const run = foldAll("r1", events("r1", [runStarted(), started("a"), failed("a", "x")]));
    expect(nodeRun(run, {}, "a")).toMatchObject({ state: "failed", message: "a failed: x" });
  });

  test("a stopped node is not a failed one", () => {
    const run = foldAll(
      "r1",
      events("r1", [runStarted(), started("a"), streamed("a", "half"), runFailed("cancelled", "cancelled")]),
    );
    expect(nodeRun(run, {}, "a")).toMatchObject({
      state: "skipped",
      preview: "half",
      stopped: true,
    });
  });
});

describe("an Exit", () => {
  const exit = (run: Parameters<typeof nodeRun>[0]) => nodeRun(run, {}, "exit", { closes: "refine" });

  test("shows its loop's count, undecided while the loop runs", () => {
    const run = until("workflow.node.iteration", "refine", 2);
    expect(exit(run)).toMatchObject({ iteration: 2, iterationTotal: 3, exitReached: null, state: "queued" });
  });

  test("is reached when the loop ends as it was meant to", () => {
    expect(exit(done)).toMatchObject({ exitReached: true, exitReason: "max_iterations", state: "done" });
  });

  test("is not reached when the loop is exhausted", () => {
    const run = foldAll(
      "r1",
      events("r1", [
        runStarted(),
        started("refine", 1),
        iteration("refine", 0, 1),
        iterationDone("refine", 0),
        completed("refine", { exit_reason: "max_iterations", exhausted: true }),
      ]),
    );
    expect(exit(run)).toMatchObject({ exitReached: false });
  });
});

describe("loopRun", () => {
  test("counts from 1 and keeps the count after the end", () => {
    const counts = [1, 2, 3].map(
      (k) => loopRun(until("workflow.node.iteration", "refine", k), {}, "refine")?.current,
    );
    expect(counts).toEqual([1, 2, 3]);
    expect(loopRun(done, {}, "refine")).toEqual({
      state: "done",
      current: 3,
      total: 3,
      shown: 3,
      live: true,
      exitReason: "max_iterations",
      exhausted: false,
    });
  });

  test("the chosen iteration is shown and the count goes on", () => {
    const run = until("workflow.node.iteration", "refine", 3);
    expect(loopRun(run, { refine: 1 }, "refine")).toMatchObject({ current: 3, shown: 1, live: false });
    expect(loopRun(run, { refine: "live" }, "refine")).toMatchObject({ shown: 3, live: true });
  });

  test("is nothing before the loop has started", () => {
    expect(loopRun(until("workflow.node.started", "topic"), {}, "refine")).toBeNull();
  });
});

test("several nodes that are drawn as one come to what needs a look first", () => {
  expect(stateOfAll(["done", "failed", "running"])).toBe("failed");
  expect(stateOfAll(["done", "waiting", "queued"])).toBe("waiting");
  expect(stateOfAll(["queued", "running"])).toBe("running");
  expect(stateOfAll(["done", "queued"])).toBe("running");
  expect(stateOfAll(["queued", "queued"])).toBe("queued");
  expect(stateOfAll(["done", "skipped"])).toBe("done");
  expect(stateOfAll(["skipped", "skipped"])).toBe("skipped");
  expect(stateOfAll([])).toBe("idle");
});

test("a loop whose node failed leaves the alarm to that node", () => {
  const run = foldAll(
    "r1",
    events("r1", [
      runStarted(),
      started("refine", 3),
      iteration("refine", 0),
      started("refine[1]/draft"),
      failed("refine[1]/draft", "http_500"),
      failed("refine", "http_500"),
      runFailed("failed", "http_500"),
    ]),
  );
  expect(nodeRun(run, {}, "draft")).toMatchObject({ state: "failed", failedWithin: false });
  expect(nodeRun(run, {}, "refine")).toMatchObject({ state: "failed", failedWithin: true });
  // A node that fails on its own, not because of a node inside it, shows the alarm.
  const alone = foldAll(
    "r1",
    events("r1", [runStarted(), started("refine", 3), failed("refine", "no_result")]),
  );
  expect(nodeRun(alone, {}, "refine")).toMatchObject({ state: "failed", failedWithin: false });
});
