// Event streams for tests: a run is written as a short list of events.
import type { Question, RunEvent, SkipCause } from "../../ipc/generated/bindings";
import { NO_USAGE } from "./model";

export type Body = { type: RunEvent["type"]; path?: string; node_id?: string | null } & Record<
  string,
  unknown
>;

const START = Date.UTC(2026, 0, 1);

/** Numbers the events and dates them 100 ms apart. */
export function events(runId: string, bodies: readonly Body[]): RunEvent[] {
  return bodies.map((body, i) => ({
    run_id: runId,
    seq: i + 1,
    at: new Date(START + i * 100).toISOString(),
    node_id: body.path ? (body.path.split("/").at(-1) ?? null) : null,
    path: "",
    ...body,
  })) as unknown as RunEvent[];
}

export const calls = (n: number, tokens = 10, cost: number | null = 0) => ({
  calls: n,
  input_tokens: tokens,
  output_tokens: tokens * 2,
  cost_usd: cost,
});

export const runStarted = (inputs: unknown = {}): Body => ({
  type: "workflow.started",
  name: "Test",
  inputs,
});

export const runCompleted = (outputs: unknown = {}, usage = NO_USAGE): Body => ({
  type: "workflow.completed",
  outputs,
  duration_ms: 1234,
  usage,
  warnings: [],
});

export const runFailed = (status: "failed" | "cancelled" | "interrupted", code: string): Body => ({
  type: "workflow.failed",
  status,
  code,
  message: `the run ended: ${code}`,
  duration_ms: 500,
  usage: NO_USAGE,
  warnings: [],
});

export const started = (path: string, max_iterations: number | null = null): Body => ({
  type: "workflow.node.started",
  path,
  max_iterations,
  input_preview: `input of ${path}`,
});

export const streamed = (path: string, tokens: string): Body => ({
  type: "workflow.node.streaming",
  path,
  tokens,
});

export const completed = (path: string, more: Record<string, unknown> = {}): Body => ({
  type: "workflow.node.completed",
  path,
  duration_ms: 100,
  usage: NO_USAGE,
  preview: `result of ${path}`,
  branch: null,
  reason: null,
  checked: null,
  iterations_run: null,
  exit_reason: null,
  exhausted: null,
  model: null,
  pinned: false,
  ...more,
});

export const failed = (path: string, code: string, more: Record<string, unknown> = {}): Body => ({
  type: "workflow.node.failed",
  path,
  duration_ms: 100,
  code,
  message: `${path} failed: ${code}`,
  usage: calls(0),
  iterations_run: null,
  exit_reason: null,
  exhausted: null,
  ...more,
});

export const retried = (path: string, attempt: number, after_ms: number): Body => ({
  type: "workflow.node.retried",
  path,
  attempt,
  code: "http_429",
  message: "Too many requests.",
  after_ms,
  attempts: 4,
});

/** An Approval that asks a question. */
export const asksAt = (path: string, message = "Publish?"): Body => ({
  type: "workflow.node.waiting",
  path,
  message,
  question: { type: "approve", message } satisfies Question,
});

export const skipped = (path: string, reason: string, cause: SkipCause | null): Body => ({
  type: "workflow.node.skipped",
  path,
  reason,
  cause,
});

/** An iteration event. `index` starts at 0, as in the engine. */
export const iteration = (path: string, index: number, total: number | null = 3): Body => ({
  type: "workflow.node.iteration",
  path,
  index,
  total,
  input_preview: `input ${index}`,
});

export const checked = (path: string, index: number, result: boolean): Body => ({
  type: "workflow.loop.condition",
  path,
  index,
  result,
});

export const iterationDone = (path: string, index: number, more: Record<string, unknown> = {}): Body => ({
  type: "workflow.loop.iteration_completed",
  path,
  index,
  similarity: null,
  condition_result: null,
  score: null,
  duration_ms: 200,
  usage: calls(1),
  result_preview: `result ${index}`,
  reached_exit: true,
  status: "completed",
  ...more,
});

/** A loop of three iterations: two critiques, and a third that was skipped because it received no value. */
export function refine(): Body[] {
  const pass = (k: number, last: boolean): Body[] => [
    iteration("refine", k - 1),
    started(`refine[${k}]/draft`),
    streamed(`refine[${k}]/draft`, `draft `),
    streamed(`refine[${k}]/draft`, `${k}`),
    completed(`refine[${k}]/draft`, { usage: calls(1), preview: `draft ${k}` }),
    ...(last
      ? [skipped(`refine[${k}]/critique`, "not run: last iteration", "last_iteration")]
      : [started(`refine[${k}]/critique`), completed(`refine[${k}]/critique`, { preview: `critique ${k}` })]),
    iterationDone("refine", k - 1, k === 1 ? {} : { similarity: 0.5 + k / 10 }),
  ];
  return [
    runStarted({ topic: "bread" }),
    started("topic"),
    completed("topic", { preview: "bread" }),
    started("refine", 3),
    ...pass(1, false),
    ...pass(2, false),
    ...pass(3, true),
    completed("refine", { iterations_run: 3, exit_reason: "max_iterations", exhausted: false }),
    runCompleted({ result: "draft 3" }, calls(3)),
  ];
}
