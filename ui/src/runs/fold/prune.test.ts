// The parts of a loop with many iterations that are kept while it runs.
import { expect, it } from "vitest";
import type { RunEvent } from "../../ipc/generated/bindings";
import { outerLoops } from "./past";
import { AT_ONCE, MAX_WHOLE_IN_ALL, MAX_WHOLE_ITERATIONS, MIN_WHOLE_AT_END, pruneRun } from "./prune";
import { emptyRun, foldEvents } from "./reduce";
import { type Body, completed, events, iteration, iterationDone, started } from "./samples";

let seq = 0;
/** Numbers the events after those of earlier calls. */
const next = (...bodies: Body[]): RunEvent[] =>
  events("r", bodies).map((event) => {
    seq += 1;
    return { ...event, seq, at: new Date(seq).toISOString() };
  });

/** Returns the events of one iteration with one node. The index starts at 0. */
const pass = (index: number, loop = "refine"): RunEvent[] =>
  next(
    iteration(loop, index, 1000),
    started(`${loop}[${index + 1}]/draft`),
    completed(`${loop}[${index + 1}]/draft`),
    iterationDone(loop, index, { result_preview: "out" }),
  );

const begin = (loop: string) => next(started(loop, 1000));

const begun = () => foldEvents(emptyRun("r"), begin("refine"));

function after(count: number, choice = {}) {
  let state = begun();
  for (let i = 0; i < count; i++) state = pruneRun(foldEvents(state, pass(i)), choice, null);
  return { state, iterations: outerLoops(state)[0]?.iterations ?? [] };
}

it("leaves a short run alone", () => {
  const state = foldEvents(begun(), pass(0));
  expect(pruneRun(state, {}, null)).toBe(state);
});

it("keeps the newest iterations, the first, and as many events however long it runs", () => {
  const few = after(300);
  const many = after(900);
  const whole = many.iterations.filter((i) => !i.unread).map((i) => i.number);
  expect(whole[0]).toBe(1);
  expect(whole.at(-1)).toBe(900);
  expect(whole.length).toBeGreaterThan(MAX_WHOLE_ITERATIONS);
  expect(whole.length).toBeLessThanOrEqual(MAX_WHOLE_ITERATIONS + AT_ONCE + 1);
  expect(many.iterations).toHaveLength(900);
  expect(many.iterations[500]?.resultPreview).toBe("out");
  expect(Math.abs(many.state.log.length - few.state.log.length)).toBeLessThanOrEqual(4 * AT_ONCE);
});

it("keeps what somebody looks at", () => {
  const { iterations } = after(300, { refine: 100 });
  expect(iterations[99]?.unread).toBeUndefined();
  expect(iterations[30]?.unread).toBe(true);
});

/**
 * Runs loops of 50 iterations each, one after the other. Returns, for each loop, the numbers of the
 * iterations that are complete at the end.
 */
function oneAfterAnother(count: number, choice = {}, timelinePath: string | null = null): number[][] {
  let state = emptyRun("r");
  const fold = (events: RunEvent[]) => {
    state = pruneRun(
      foldEvents(state, events),
      choice,
      timelinePath === null ? null : { runId: "r", path: timelinePath },
    );
  };
  for (let n = 1; n <= count; n++) {
    fold(begin(`loop${n}`));
    for (let i = 0; i < 50; i++) fold(pass(i, `loop${n}`));
    fold(next(completed(`loop${n}`, { exit_reason: "max_iterations" })));
  }
  return outerLoops(state).map((loop) => loop.iterations.filter((i) => !i.unread).map((i) => i.number));
}

it("keeps of loops that ended the first and the last two iterations, once many are kept", () => {
  const loops = oneAfterAnother(6);
  expect(loops.map((whole) => whole.length)).toEqual([3, 3, 3, 50, 50, 50]);
  expect(loops[0]).toEqual([1, 50 - MIN_WHOLE_AT_END + 1, 50]);
  expect(loops.flat().length).toBeLessThanOrEqual(MAX_WHOLE_IN_ALL);
});

it("keeps all of a loop that ended while the timeline draws it, or somebody chose in it", () => {
  expect(oneAfterAnother(6, {}, "loop2").map((whole) => whole.length)).toEqual([3, 50, 3, 3, 50, 50]);
  expect(oneAfterAnother(6, { loop1: 20 })[0]).toHaveLength(50);
});
