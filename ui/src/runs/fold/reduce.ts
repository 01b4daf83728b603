// The fold from run events to the state of a run. Pure: the same events give the same state, live or from the
// store.
import type { RunEvent, RunStatus, Usage } from "../../ipc/generated/bindings";
import {
  addUsage,
  type Iteration,
  isUnderWay,
  type LoopRecord,
  NO_USAGE,
  type RunState,
  type Scope,
  type Step,
  type StepStatus,
  usageSince,
  type Within,
} from "./model";
import { flowKey, parsePath, type Segment } from "./path";

/** Objects created in this fold. They may be mutated; all older objects are shared with earlier states. */
type Owned = WeakSet<object>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

const EMPTY_SCOPE: Scope = { steps: {} };

export function emptyRun(runId: string, name = ""): RunState {
  return {
    runId,
    name,
    status: "running",
    startedAt: 0,
    endedAt: null,
    durationMs: null,
    since: 0,
    lastAt: 0,
    rests: [],
    inputs: null,
    outputs: null,
    usage: NO_USAGE,
    budget: null,
    warnings: [],
    error: null,
    root: EMPTY_SCOPE,
    chains: {},
    waiting: [],
    loopIds: [],
    within: {},
    prefix: [],
    log: [],
  };
}

/** Returns the state after these events, applied in order. Neither the state nor the events are mutated. */
export function foldEvents(state: RunState, events: readonly RunEvent[]): RunState {
  if (events.length === 0) return state;
  const owned: Owned = new WeakSet();
  const run = write(state, owned);
  const logged = events.filter((e) => !isUnrecorded(e));
  if (logged.length > 0) run.log = withNewestActivity(state.log.concat(logged), logged);
  for (const event of events) apply(run, event, owned);
  return run;
}

export function foldAll(runId: string, events: readonly RunEvent[]): RunState {
  return foldEvents(emptyRun(runId), events);
}

/**
 * Returns whether an event is never recorded: streamed text, notices of silence, and the later activity of an
 * agent.
 */
export const isUnrecorded = (event: RunEvent): boolean =>
  event.type === "workflow.node.streaming" ||
  event.type === "workflow.node.silent" ||
  (event.type === "workflow.node.activity" && !event.recorded);

/**
 * Removes an agent's older activity from the log, because an agent reports up to twice a second. Only the
 * newest activity of each step stays.
 */
function withNewestActivity(log: readonly RunEvent[], added: readonly RunEvent[]): readonly RunEvent[] {
  const newest = new Map<string, RunEvent>();
  for (const event of added) if (event.type === "workflow.node.activity") newest.set(event.path, event);
  if (newest.size === 0) return log;
  const isOld = (event: RunEvent) =>
    event.type === "workflow.node.activity" && newest.has(event.path) && newest.get(event.path) !== event;
  return log.filter((event) => !isOld(event));
}

function write<T extends object>(value: T, owned: Owned): Writable<T> {
  if (owned.has(value)) return value as Writable<T>;
  const copy = (Array.isArray(value) ? value.slice() : { ...value }) as Writable<T>;
  owned.add(copy);
  return copy;
}

/**
 * Shifts the start times of a scope's open steps by `by` milliseconds, because the time in which a run waits
 * or is paused does not count towards their durations. Everything inside an open step is shifted too, so that
 * finished steps inside it keep their relative times.
 */
function shiftScope(scope: Scope, by: number, all = false): Scope {
  const moved = (time: number | null) => time && time + by;
  const steps = Object.entries(scope.steps).map(([id, step]): [string, Step] => {
    if (!all && (step.endedAt !== null || step.startedAt === null)) return [id, step];
    const iterations = step.loop?.iterations.map((one) => ({
      ...one,
      startedAt: one.startedAt + by,
      endedAt: moved(one.endedAt),
      scope: shiftScope(one.scope, by, true),
    }));
    return [
      id,
      {
        ...step,
        startedAt: moved(step.startedAt),
        endedAt: moved(step.endedAt),
        loop: step.loop && iterations ? { ...step.loop, iterations } : step.loop,
        inner: step.inner && shiftScope(step.inner, by, true),
      },
    ];
  });
  return { ...scope, steps: Object.fromEntries(steps) };
}

function apply(run: Writable<RunState>, event: RunEvent, owned: Owned): void {
  const at = Date.parse(event.at);
  if (run.lastAt === 0) run.since = at;
  // The time before one of these events does not count as running time, as in the engine: the run was paused,
  // its program was closed, or a question blocked everything. After such a question, any event may follow.
  // The event `workflow.slept` contains the duration of the computer's sleep.
  else if (
    event.type === "workflow.started" ||
    event.type === "workflow.continued" ||
    event.type === "workflow.slept" ||
    run.status === "waiting"
  ) {
    const slept = event.type === "workflow.slept" && run.status !== "waiting";
    const rest = slept ? event.slept_ms : Math.max(0, at - run.lastAt);
    run.since += rest;
    if (rest > 0) {
      run.root = shiftScope(run.root, rest);
      run.rests = [...run.rests, { seq: event.seq, ms: rest }];
    }
  }
  run.lastAt = at;
  switch (event.type) {
    case "workflow.started":
      run.runId = event.run_id;
      run.name = event.name;
      run.inputs = event.inputs;
      run.startedAt = at;
      run.status = "running";
      // A resumed run starts again, so its earlier end no longer counts.
      run.endedAt = null;
      run.error = null;
      return;
    case "workflow.completed":
      run.status = "completed";
      run.outputs = event.outputs;
      endRun(run, event, at);
      return;
    case "workflow.failed":
      run.status = event.status;
      run.waiting = [];
      run.error = { code: event.code, message: event.message, nodeId: event.node_id };
      endRun(run, event, at);
      run.root = settleScope(run.root, event.status, at);
      return;
    case "workflow.budget": {
      const { spent_usd, spent_tokens, reserved_usd, reserved_tokens, budget_usd, budget_tokens } = event;
      run.budget = { spent_usd, spent_tokens, reserved_usd, reserved_tokens, budget_usd, budget_tokens };
      return;
    }
    case "workflow.budget_set":
      if (run.budget !== null) {
        run.budget = {
          ...run.budget,
          budget_usd: event.budget_usd ?? run.budget.budget_usd,
          budget_tokens: event.budget_tokens ?? run.budget.budget_tokens,
        };
      }
      // A run that was stopped at its budget continues with a larger one.
      run.status = "running";
      run.endedAt = null;
      run.error = null;
      return;
    case "workflow.paused":
      run.status = "paused";
      return;
    case "workflow.continued":
      // A resumed run may have nothing to do but wait for an answer again.
      run.status = run.waiting.length > 0 && !isUnderWay(run.root) ? "waiting" : "running";
      run.endedAt = null;
      run.error = null;
      return;
    case "workflow.slept":
      run.warnings = [...run.warnings, { code: "computer_slept", node: null, message: event.message }];
      return;
    case "workflow.trust":
      return;
    default:
      applyToNode(run, event, at, owned);
      trackWaiting(run, event);
  }
}

/** Sets the status to "waiting" if every running step waits for the user, otherwise to "running". */
function trackWaiting(run: Writable<RunState>, event: NodeEvent): void {
  const { path } = event;
  if (event.type === "workflow.node.waiting") {
    if (!run.waiting.includes(path)) run.waiting = [...run.waiting, path];
  } else if (!isUnrecorded(event) && run.waiting.includes(path)) {
    run.waiting = run.waiting.filter((p) => p !== path);
  }
  if (run.waiting.length > 0) run.status = isUnderWay(run.root) ? "running" : "waiting";
  else if (run.status === "waiting") run.status = "running";
}

/**
 * Returns a run whose events stop before its end, with this status. Unless the status is queued, running,
 * waiting or paused, the run ends at the time of its last event, and its open steps count as cancelled.
 */
export function endedAs(state: RunState, status: RunStatus): RunState {
  if (state.status === status) return state;
  const at = Date.parse(state.log.at(-1)?.at ?? "") || state.startedAt;
  const over = !["queued", "running", "waiting", "paused"].includes(status);
  return {
    ...state,
    status,
    ...(over ? { endedAt: at, waiting: [], root: settleScope(state.root, status, at) } : {}),
  };
}

function endRun(
  run: Writable<RunState>,
  event: Extract<RunEvent, { type: "workflow.completed" | "workflow.failed" }>,
  at: number,
): void {
  run.endedAt = at;
  // The engine could not record the last usage of an interrupted run, so the sums stay as observed.
  if (event.type === "workflow.failed" && event.status === "interrupted") {
    run.durationMs = at - run.since;
    return;
  }
  run.durationMs = event.duration_ms;
  run.usage = event.usage;
  run.warnings = event.warnings;
}

type NodeEvent = Extract<RunEvent, { type: `workflow.node.${string}` | `workflow.loop.${string}` }>;

function applyToNode(run: Writable<RunState>, event: NodeEvent, at: number, owned: Owned): void {
  const segments = parsePath(event.path, event.node_id);
  const last = segments[segments.length - 1];
  if (last === undefined) return;
  const around = segments.slice(0, -1);
  noteChain(run, around, last.id, owned);
  const step = writeStep(run, segments, event.path, at, owned);
  switch (event.type) {
    case "workflow.node.started":
      beginStep(step, event, at, run, owned);
      return;
    case "workflow.node.streaming":
      step.text += event.tokens;
      step.pieces += 1;
      step.silence = null;
      return;
    case "workflow.node.silent":
      step.silence = event.for_ms === 0 ? null : { since: at - event.for_ms, limitMs: event.limit_ms };
      return;
    case "workflow.node.activity": {
      const { line, entries, input_tokens, output_tokens } = event;
      const counted = input_tokens !== null || output_tokens !== null;
      const tokens = counted ? (input_tokens ?? 0) + (output_tokens ?? 0) : null;
      step.activity = { line, entries, tokens };
      return;
    }
    case "workflow.node.completed":
      step.status = "completed";
      step.parked = null;
      step.endedAt = at;
      step.durationMs = event.duration_ms;
      step.usage = event.usage;
      step.preview = event.preview;
      step.branch = event.branch;
      step.branchReason = event.reason;
      step.checked = event.checked;
      step.model = event.model;
      step.pinned = event.pinned;
      if (step.loop !== null || event.exit_reason !== null) {
        endLoop(step, event, event.exhausted ?? false, "completed", at, owned);
      }
      // The calls of a loop or subflow are those of its nodes, so only the innermost step counts.
      if (step.loop === null && step.inner === null) countCalls(run, around, event.usage, owned);
      return;
    case "workflow.node.failed":
      step.status = event.code === "cancelled" ? "cancelled" : "failed";
      step.parked = null;
      step.endedAt = at;
      step.durationMs = event.duration_ms;
      step.error = { code: event.code, message: event.message };
      step.usage = event.usage;
      if (step.loop !== null || event.exit_reason !== null) {
        endLoop(step, event, event.exhausted ?? false, cutShort(event.exit_reason), at, owned);
      }
      // A failed or cancelled call is paid for too.
      if (step.loop === null && step.inner === null) countCalls(run, around, event.usage, owned);
      return;
    case "workflow.node.retried":
      step.attempts += 1;
      step.retried = {
        code: event.code,
        message: event.message,
        until: at + event.after_ms,
        // Runs of earlier versions do not record the maximum number of attempts.
        of: event.attempts ?? null,
      };
      // The next attempt starts with empty text.
      step.text = "";
      step.pieces = 0;
      step.silence = null;
      return;
    case "workflow.node.parked":
      step.parked = { name: event.name, until: Date.parse(event.until), message: event.message };
      step.retried = null;
      // The next call starts with empty text.
      step.text = "";
      step.pieces = 0;
      step.silence = null;
      step.activity = null;
      return;
    case "workflow.node.unparked":
      step.parked = null;
      return;
    case "workflow.node.skipped":
      step.status = "skipped";
      step.endedAt = at;
      step.reason = event.reason;
      step.skipCause = event.cause;
      return;
    case "workflow.node.waiting":
      step.status = "waiting";
      step.reason = event.message;
      step.question = event.question;
      return;
    case "workflow.node.iteration": {
      const loop = writeLoop(step, run, owned);
      const iteration = writeIteration(loop, event.index + 1, at, owned);
      iteration.startedAt = at;
      iteration.status = "running";
      iteration.inputPreview = event.input_preview;
      loop.current = event.index + 1;
      if (event.total !== null) loop.total = event.total;
      return;
    }
    case "workflow.loop.preparing":
      step.preparing = event.resource;
      return;
    case "workflow.loop.prepared":
      step.preparing = null;
      return;
    case "workflow.loop.condition": {
      const loop = writeLoop(step, run, owned);
      loop.lastCheck = { index: event.index, result: event.result };
      return;
    }
    case "workflow.loop.iteration_completed": {
      const loop = writeLoop(step, run, owned);
      const iteration = writeIteration(loop, event.index + 1, at, owned);
      // An iteration ends in one of three ways. Each has the event type of the whole run's end.
      iteration.status =
        event.status === "completed" || event.status === "cancelled" ? event.status : "failed";
      iteration.endedAt = at;
      iteration.durationMs = event.duration_ms;
      step.usage = addUsage(step.usage, usageSince(iteration.usage, event.usage));
      iteration.usage = event.usage;
      iteration.similarity = event.similarity;
      iteration.conditionResult = event.condition_result;
      iteration.score = event.score;
      iteration.resultPreview = event.result_preview;
      iteration.reachedExit = event.reached_exit;
      return;
    }
  }
}

function beginStep(
  step: Writable<Step>,
  event: Extract<RunEvent, { type: "workflow.node.started" }>,
  at: number,
  run: Writable<RunState>,
  owned: Owned,
): void {
  step.status = "running";
  step.startedAt = at;
  step.endedAt = null;
  step.durationMs = null;
  step.attempts += 1;
  step.retried = null;
  step.parked = null;
  step.silence = null;
  step.text = "";
  step.pieces = 0;
  step.activity = null;
  step.error = null;
  step.reason = null;
  step.skipCause = null;
  step.question = null;
  step.inputPreview = event.input_preview;
  if (event.max_iterations !== null) writeLoop(step, run, owned).total = event.max_iterations;
}

/** Records which loops enclose a node within its flow. */
function noteChain(run: Writable<RunState>, around: readonly Segment[], nodeId: string, owned: Owned): void {
  const level = writeLevel(run, around, owned);
  if (level.chains[nodeId] !== undefined) return;
  const chains = write(level.chains, owned) as Record<string, readonly string[]>;
  // After the last subflow of the path, only loops of the same flow follow.
  chains[nodeId] = around.slice(around.findLastIndex((s) => s.iteration === null) + 1).map((s) => s.id);
  level.chains = chains;
}

/**
 * Returns the chains and loops of the flow that contains a step, in writable form: those of the run itself,
 * or the entry of a subflow.
 */
function writeLevel(run: Writable<RunState>, around: readonly Segment[], owned: Owned): Writable<Within> {
  const breadcrumbs = around.filter((s) => s.iteration === null).map((s) => s.id);
  if (breadcrumbs.length === 0) return run;
  const within = write(run.within, owned) as Record<string, Within>;
  run.within = within;
  const key = flowKey(breadcrumbs);
  const level = write(within[key] ?? { chains: {}, loopIds: [] }, owned);
  within[key] = level;
  return level;
}

/** Returns the step at a path, writable together with all its ancestors. */
function writeStep(
  run: Writable<RunState>,
  segments: readonly Segment[],
  path: string,
  at: number,
  owned: Owned,
): Writable<Step> {
  let scope = write(run.root, owned);
  run.root = scope;
  for (const [depth, segment] of segments.entries()) {
    const isLast = depth === segments.length - 1;
    const steps = write(scope.steps, owned) as Record<string, Step>;
    scope.steps = steps;
    const stepAt = isLast ? path : pathUntil(segments, depth);
    const step = write(steps[segment.id] ?? newStep(stepAt, segment.id, at), owned);
    steps[segment.id] = step;
    if (isLast) return step;
    if (segment.iteration === null) {
      scope = write(step.inner ?? EMPTY_SCOPE, owned);
      step.inner = scope;
    } else {
      const iteration = writeIteration(writeLoop(step, run, owned), segment.iteration, at, owned);
      scope = write(iteration.scope, owned);
      iteration.scope = scope;
    }
  }
  throw new Error(`the path "${path}" names no step`);
}

function pathUntil(segments: readonly Segment[], depth: number): string {
  return segments
    .slice(0, depth + 1)
    .map((s, i) => (i === depth || s.iteration === null ? s.id : `${s.id}[${s.iteration}]`))
    .join("/");
}

function newStep(path: string, nodeId: string, at: number): Step {
  return {
    path,
    nodeId,
    status: "running",
    startedAt: at,
    endedAt: null,
    durationMs: null,
    attempts: 0,
    retried: null,
    parked: null,
    silence: null,
    preparing: null,
    inputPreview: null,
    text: "",
    pieces: 0,
    activity: null,
    preview: null,
    usage: NO_USAGE,
    branch: null,
    branchReason: null,
    checked: null,
    model: null,
    reason: null,
    skipCause: null,
    question: null,
    pinned: false,
    error: null,
    loop: null,
    inner: null,
  };
}

function writeLoop(step: Writable<Step>, run: Writable<RunState>, owned: Owned): Writable<LoopRecord> {
  if (step.loop === null) {
    const level = writeLevel(run, parsePath(step.path, step.nodeId).slice(0, -1), owned);
    if (!level.loopIds.includes(step.nodeId)) level.loopIds = [...level.loopIds, step.nodeId];
  }
  const loop = write<LoopRecord>(
    step.loop ?? {
      path: step.path,
      nodeId: step.nodeId,
      total: null,
      iterations: [],
      current: 0,
      lastCheck: null,
      exitReason: null,
      exhausted: false,
      iterationsRun: null,
    },
    owned,
  );
  step.loop = loop;
  return loop;
}

function writeIteration(
  loop: Writable<LoopRecord>,
  number: number,
  at: number,
  owned: Owned,
): Writable<Iteration> {
  const iterations = write(loop.iterations, owned) as Iteration[];
  loop.iterations = iterations;
  // An iterator starts its items in any order, so the ones before the first seen are filled in.
  for (let missing = iterations.length + 1; missing <= number; missing += 1) {
    iterations.push(newIteration(missing, at));
  }
  const iteration = write(iterations[number - 1] as Iteration, owned);
  iterations[number - 1] = iteration;
  return iteration;
}

function newIteration(number: number, at: number): Iteration {
  return {
    number,
    status: "running",
    startedAt: at,
    endedAt: null,
    durationMs: null,
    usage: NO_USAGE,
    similarity: null,
    conditionResult: null,
    score: null,
    inputPreview: "",
    resultPreview: null,
    reachedExit: false,
    scope: EMPTY_SCOPE,
  };
}

function cutShort(reason: LoopRecord["exitReason"]): Iteration["status"] {
  return reason === "cancelled" || reason === "timeout" || reason === "budget_exceeded"
    ? "cancelled"
    : "failed";
}

function endLoop(
  step: Writable<Step>,
  event: Extract<RunEvent, { type: "workflow.node.completed" | "workflow.node.failed" }>,
  exhausted: boolean,
  unfinished: Iteration["status"],
  at: number,
  owned: Owned,
): void {
  if (step.loop === null) return;
  const loop = write(step.loop, owned);
  step.loop = loop;
  loop.exitReason = event.exit_reason;
  loop.exhausted = exhausted;
  loop.iterationsRun = event.iterations_run;
  if (!loop.iterations.some((i) => i.status === "running")) return;
  loop.iterations = loop.iterations.map((i) =>
    i.status === "running"
      ? {
          ...i,
          status: unfinished,
          endedAt: at,
          durationMs: at - i.startedAt,
          scope: settleScope(i.scope, "cancelled", at),
        }
      : i,
  );
}

/**
 * Adds a call's usage to the run and to the steps and unfinished iterations around it, until the engine
 * reports their totals.
 */
function countCalls(run: Writable<RunState>, around: readonly Segment[], usage: Usage, owned: Owned): void {
  if (usage.calls === 0) return;
  run.usage = addUsage(run.usage, usage);
  let scope: Scope | undefined = run.root;
  for (const segment of around) {
    const step: Step | undefined = scope?.steps[segment.id];
    if (step !== undefined && owned.has(step)) (step as Writable<Step>).usage = addUsage(step.usage, usage);
    const iteration: Iteration | undefined =
      segment.iteration === null ? undefined : step?.loop?.iterations[segment.iteration - 1];
    if (iteration !== undefined && owned.has(iteration)) {
      (iteration as Writable<Iteration>).usage = addUsage(iteration.usage, usage);
    }
    scope = iteration?.scope ?? step?.inner ?? undefined;
  }
}

/** Returns a scope of a run that ended early, with its open steps ended at the time `at`. */
function settleScope(scope: Scope, status: RunStatus, at: number): Scope {
  const steps: Record<string, Step> = {};
  for (const [id, step] of Object.entries(scope.steps)) steps[id] = settleStep(step, status, at);
  return { steps };
}

function settleStep(step: Step, status: RunStatus, at: number): Step {
  const open = step.status === "running" || step.status === "waiting";
  // Everything inside a finished step has ended with it.
  if (!open) return step;
  const ended: StepStatus = "cancelled";
  const loop = step.loop && {
    ...step.loop,
    exitReason: step.loop.exitReason ?? (status === "cancelled" ? ("cancelled" as const) : null),
    iterations: step.loop.iterations.map((i) =>
      i.status === "running"
        ? {
            ...i,
            status: "cancelled" as const,
            endedAt: at,
            durationMs: at - i.startedAt,
            scope: settleScope(i.scope, status, at),
          }
        : i,
    ),
  };
  const inner = step.inner && settleScope(step.inner, status, at);
  return { ...step, status: ended, endedAt: at, durationMs: at - (step.startedAt ?? at), loop, inner };
}
