// What is kept of a loop of many iterations while it runs.
import { expect, it } from "vitest";
import type { RunEvent } from "../ipc/generated/bindings";
import { outerLoops } from "./past";
import { AT_ONCE, KEPT, prune } from "./prune";
import { emptyRun, fold } from "./reduce";

let seq = 0;
const event = (type: string, path: string, fields: object): RunEvent => {
  seq += 1;
  const node_id = path.split("/").at(-1) ?? path;
  return { seq, at: new Date(seq).toISOString(), run_id: "r", type, path, node_id, ...fields } as RunEvent;
};

const USAGE = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** The events of one iteration with one node, from 0. */
const pass = (index: number): RunEvent[] => [
  event("workflow.node.iteration", "refine", { index, total: 1000, input_preview: "in" }),
  event("workflow.node.started", `refine[${index + 1}]/draft`, { input_preview: "in", max_iterations: null }),
  event("workflow.node.completed", `refine[${index + 1}]/draft`, {
    ...{ duration_ms: 1, usage: USAGE, preview: "out", branch: null, model: null, pinned: false },
    exit_reason: null,
  }),
  event("workflow.loop.iteration_completed", "refine", {
    ...{ index, status: "completed", duration_ms: 1, usage: USAGE, similarity: null },
    ...{ condition_result: null, score: null, result_preview: "out" },
  }),
];

const begun = () =>
  fold(emptyRun("r"), [
    event("workflow.node.started", "refine", { input_preview: "in", max_iterations: 1000 }),
  ]);

function after(count: number, choice = {}) {
  let state = begun();
  for (let i = 0; i < count; i++) state = prune(fold(state, pass(i)), choice);
  return { state, iterations: outerLoops(state)[0]?.iterations ?? [] };
}

it("leaves a short run alone", () => {
  const state = fold(begun(), pass(0));
  expect(prune(state, {})).toBe(state);
});

it("keeps the newest iterations, the first, and as many events however long it runs", () => {
  const few = after(300);
  const many = after(900);
  const whole = many.iterations.filter((i) => !i.unread).map((i) => i.number);
  expect(whole[0]).toBe(1);
  expect(whole.at(-1)).toBe(900);
  expect(whole.length).toBeGreaterThan(KEPT);
  expect(whole.length).toBeLessThanOrEqual(KEPT + AT_ONCE + 1);
  expect(many.iterations).toHaveLength(900);
  expect(many.iterations[500]?.resultPreview).toBe("out");
  expect(Math.abs(many.state.log.length - few.state.log.length)).toBeLessThanOrEqual(4 * AT_ONCE);
});

it("keeps what somebody looks at", () => {
  const { iterations } = after(300, { refine: 100 });
  expect(iterations[99]?.unread).toBeUndefined();
  expect(iterations[30]?.unread).toBe(true);
});
