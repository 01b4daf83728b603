// The parts of a loop with many iterations that are kept while it runs.
import { expect, it } from "vitest";
import type { RunEvent } from "../../ipc/generated/bindings";
import { outerLoops } from "./past";
import { AT_ONCE, MAX_WHOLE_IN_ALL, MAX_WHOLE_ITERATIONS, MIN_WHOLE_AT_END, pruneRun } from "./prune";
import { emptyRun, foldEvents } from "./reduce";

let seq = 0;
const event = (type: string, path: string, fields: object): RunEvent => {
  seq += 1;
  const node_id = path.split("/").at(-1) ?? path;
  return { seq, at: new Date(seq).toISOString(), run_id: "r", type, path, node_id, ...fields } as RunEvent;
};

const USAGE = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

const completed = (path: string, exit_reason: string | null) =>
  event("workflow.node.completed", path, {
    ...{
      duration_ms: 1,
      usage: USAGE,
      preview: "out",
      branch: null,
      reason: null,
      checked: null,
      model: null,
      pinned: false,
    },
    ...{ exit_reason, iterations_run: null, exhausted: null },
  });

/** Returns the events of one iteration with one node. The index starts at 0. */
const pass = (index: number, loop = "refine"): RunEvent[] => [
  event("workflow.node.iteration", loop, { index, total: 1000, input_preview: "in" }),
  event("workflow.node.started", `${loop}[${index + 1}]/draft`, {
    input_preview: "in",
    max_iterations: null,
  }),
  completed(`${loop}[${index + 1}]/draft`, null),
  event("workflow.loop.iteration_completed", loop, {
    ...{ index, status: "completed", duration_ms: 1, usage: USAGE, similarity: null },
    ...{ condition_result: null, score: null, result_preview: "out" },
  }),
];

const begin = (loop: string) =>
  event("workflow.node.started", loop, { input_preview: "in", max_iterations: 1000 });

const begun = () => foldEvents(emptyRun("r"), [begin("refine")]);

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
  const next = (events: RunEvent[]) => {
    state = pruneRun(
      foldEvents(state, events),
      choice,
      timelinePath === null ? null : { runId: "r", path: timelinePath },
    );
  };
  for (let n = 1; n <= count; n++) {
    next([begin(`loop${n}`)]);
    for (let i = 0; i < 50; i++) next(pass(i, `loop${n}`));
    next([completed(`loop${n}`, "max_iterations")]);
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
