// Event streams for tests: recorded events, each with its own place and result.
import type { Question, RunEvent, SkipCause, Usage } from "../../ipc/generated/bindings";
import * as recordings from "../../ipc/generated/recorded/runs";
import { NO_USAGE } from "./model";

type Type = RunEvent["type"];
export type EventOf<T extends Type> = Extract<RunEvent, { type: T }>;

/**
 * An event of this type, before `events` adds its number and time. Without a path, it belongs to the whole
 * run.
 */
type BodyOf<T extends Type> = Omit<EventOf<T>, "run_id" | "seq" | "at" | "node_id" | "path"> & {
  path?: string;
  node_id?: string | null;
};
export type Body = { [T in Type]: BodyOf<T> }[Type];

const RECORDED: readonly RunEvent[] = Object.values(recordings).flatMap((one) =>
  "preparation" in one ? one.events : [],
);

/** Returns the first event of a type in the recorded runs. */
export function recordedEvent<T extends Type>(type: T): EventOf<T> {
  const found = RECORDED.find((event): event is EventOf<T> => event.type === type);
  if (!found) throw new Error(`No event \`${type}\` is recorded.`);
  return found;
}

/** Returns a recorded event of a type with these changes. */
function recorded<T extends Type>(type: T, changes: Partial<EventOf<T>> & { path: string }): BodyOf<T> {
  const { run_id, seq, at, node_id, ...body } = recordedEvent(type);
  return { ...body, ...changes } as BodyOf<T>;
}

const START = Date.UTC(2026, 0, 1);

/** Adds sequence numbers to the events, and times 100 ms apart. */
export function events(runId: string, bodies: readonly Body[]): RunEvent[] {
  return bodies.map(
    (body, i): RunEvent => ({
      node_id: body.path ? (body.path.split("/").at(-1) ?? null) : null,
      path: "",
      ...body,
      run_id: runId,
      seq: i + 1,
      at: new Date(START + i * 100).toISOString(),
    }),
  );
}

export const calls = (n: number, tokens = 10, cost: number | null = 0): Usage => ({
  calls: n,
  input_tokens: tokens,
  output_tokens: tokens * 2,
  cost_usd: cost,
});

type Changes<T extends Type> = Partial<EventOf<T>>;

export const runStarted = (inputs: unknown = {}) =>
  recorded("workflow.started", { path: "", name: "Test", inputs });

export const runCompleted = (outputs: unknown = {}, usage = NO_USAGE) =>
  recorded("workflow.completed", { path: "", outputs, duration_ms: 1234, usage });

export const runFailed = (status: "failed" | "cancelled" | "interrupted", code: string) =>
  recorded("workflow.failed", {
    path: "",
    status,
    code,
    message: `the run ended: ${code}`,
    duration_ms: 500,
    usage: NO_USAGE,
  });

export const started = (path: string, max_iterations: number | null = null) =>
  recorded("workflow.node.started", { path, max_iterations, input_preview: `input of ${path}` });

export const streamed = (path: string, tokens: string) =>
  recorded("workflow.node.streaming", { path, tokens });

/**
 * Returns an event that reports an agent's activity. There are no recorded runs of agents, because an agent
 * is a separate program.
 */
export const activity = (
  path: string,
  line: string,
  entries: number,
  recorded = true,
): BodyOf<"workflow.node.activity"> => ({
  type: "workflow.node.activity",
  path,
  line,
  entries,
  input_tokens: 900,
  output_tokens: 100,
  recorded,
});

export const completed = (path: string, more: Changes<"workflow.node.completed"> = {}) =>
  recorded("workflow.node.completed", {
    duration_ms: 100,
    usage: NO_USAGE,
    preview: `result of ${path}`,
    ...more,
    path,
  });

export const failed = (path: string, code: string, more: Changes<"workflow.node.failed"> = {}) =>
  recorded("workflow.node.failed", {
    duration_ms: 100,
    code,
    message: `${path} failed: ${code}`,
    usage: calls(0),
    ...more,
    path,
  });

export const retried = (path: string, attempt: number, after_ms: number) =>
  recorded("workflow.node.retried", { path, attempt, after_ms, attempts: 4 });

// No recorded run waits for a quota, so these two are written here.
export const parked = (path: string, name: string, until: number): Body => ({
  type: "workflow.node.parked",
  path,
  name,
  until: new Date(until).toISOString(),
  code: "http_429",
  message: `${name} has had too many requests.`,
});

export const unparked = (path: string): Body => ({ type: "workflow.node.unparked", path });

/** Returns the event of an Approval that asks a question. */
export const asksAt = (path: string, message = "Publish?") =>
  recorded("workflow.node.waiting", {
    path,
    message,
    question: { type: "approve", message } satisfies Question,
  });

export const skipped = (path: string, reason: string, cause: SkipCause | null) =>
  recorded("workflow.node.skipped", { path, reason, cause });

/** Returns an iteration event. `index` starts at 0, as in the engine. */
export const iteration = (path: string, index: number, total: number | null = 3) =>
  recorded("workflow.node.iteration", { path, index, total, input_preview: `input ${index}` });

export const checked = (path: string, index: number, result: boolean) =>
  recorded("workflow.loop.condition", { path, index, result });

export const iterationDone = (
  path: string,
  index: number,
  more: Changes<"workflow.loop.iteration_completed"> = {},
) =>
  recorded("workflow.loop.iteration_completed", {
    index,
    similarity: null,
    duration_ms: 200,
    usage: calls(1),
    result_preview: `result ${index}`,
    ...more,
    path,
  });

/**
 * Returns the events of a recorded run with a loop of three iterations, whose last critique does not run. The
 * similarities are those of a loop that ends when its result is stable.
 */
export const refine = (): Body[] =>
  recordings.threeIterations.events.map((event) =>
    event.type === "workflow.loop.iteration_completed" && event.index > 0
      ? { ...event, similarity: 0.5 + (event.index + 1) / 10 }
      : event,
  );
