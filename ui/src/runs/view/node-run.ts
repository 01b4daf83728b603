// The state of a node at the chosen iteration, as its card shows it. Pure.
import type { ExitReason, Question, RunStatus, SkipCause, Usage } from "../../ipc/generated/bindings";
import { endOf } from "../../kernels/end-of-text";
import { checkedText } from "../fold/checks";
import type {
  AgentActivity,
  FailedAttempt,
  LoopRecord,
  QuotaWait,
  RunState,
  Silence,
  Step,
} from "../fold/model";
import { verdictSoFar, verdictWords } from "../fold/verdict";
import {
  type Choice,
  isFollowing,
  loopAround,
  type Place,
  placeOf,
  shownIteration,
  shownLoop,
  stepIn,
} from "./view";

export type NodeRunState = "idle" | "queued" | "running" | "done" | "skipped" | "failed" | "waiting";

export interface NodeRun {
  state: NodeRunState;
  durationMs: number | null;
  /** The start time in milliseconds since the epoch; null before the node starts. */
  startedAt: number | null;
  /** The number of streamed pieces so far, while the node runs. */
  pieces: number;
  /** The current or last action of an agent; null once the agent is done. */
  activity: AgentActivity | null;
  /** The number of times the node was started. */
  attempts: number;
  retried: FailedAttempt | null;
  /** The quota that the node waits for. */
  parked: QuotaWait | null;
  /** Set while the node runs and no part of its answer has arrived for a while. */
  silence: Silence | null;
  /** What the node prepares before it begins its work, such as `workspace`. */
  preparing: string | null;
  /**
   * The same node's step in the previous iteration. The duration of that step is the estimate for a running
   * step.
   */
  before: Step | null;
  /** The streamed text while the node runs, then a preview of the value; null if there is no text. */
  preview: string | null;
  streaming: boolean;
  /**
   * For a node in a loop, the number of the shown iteration, counted from 1. For a Loop or Exit, the loop's
   * own count.
   */
  iteration: number | null;
  iterationTotal: number | null;
  /** For an Exit, whether its loop ended because the exit condition was met; null until the loop ends. */
  exitReached: boolean | null;
  exitReason: ExitReason | null;
  usage: Usage | null;
  /** The error message, or the question of a waiting node; null if there is neither. */
  message: string | null;
  /** The question the node asks while it waits for a person. */
  question: Question | null;
  skippedReason: string | null;
  skipCause: SkipCause | null;
  /**
   * Whether the node failed only because a node inside it, or an earlier node in its loop, failed. That other
   * node is the one shown in red.
   */
  failedWithin: boolean;
  /** Whether the node was cut off after it began, because the run was stopped or its enclosing loop ended. */
  stopped: boolean;
}

export interface LoopRun {
  state: NodeRunState;
  /** The number of iterations that have started, and the maximum. */
  current: number;
  total: number | null;
  /** The shown iteration: the chosen one, otherwise the current one. */
  shown: number | null;
  live: boolean;
  exitReason: ExitReason | null;
  exhausted: boolean | null;
}

export const idleNode: NodeRun = {
  state: "idle",
  durationMs: null,
  startedAt: null,
  pieces: 0,
  attempts: 0,
  retried: null,
  parked: null,
  silence: null,
  preparing: null,
  activity: null,
  before: null,
  preview: null,
  streaming: false,
  iteration: null,
  iterationTotal: null,
  exitReached: null,
  exitReason: null,
  usage: null,
  message: null,
  question: null,
  skippedReason: null,
  skipCause: null,
  failedWithin: false,
  stopped: false,
};

/**
 * The approximate number of characters of streaming text that a card shows, and the number of characters by
 * which the beginning advances. Only the end of the text is visible, so more would only cost layout time.
 */
const TAIL = { least: 480, step: 480 };

/** What the document, rather than the events, says about a node. */
export type NodeFacts = {
  /** Whether the node never runs: a note. */
  readonly annotation?: boolean;
  /** Whether the node chooses a branch, so that its output is a verdict. */
  readonly branching?: boolean;
  /** For an Exit or Aggregator, the id of the Loop or iterator that it closes. */
  readonly closes?: string | null;
  /** The loop around the node in the document, used for a node without events. */
  readonly region?: string | null;
};

export function nodeRun(
  run: RunState | null,
  choice: Choice,
  nodeId: string,
  facts: NodeFacts = {},
): NodeRun {
  if (run === null || facts.annotation) return idleNode;
  if (facts.closes) return exitRun(run, choice, nodeId, facts.closes);
  const place = placeOf(run, choice, nodeId) ?? placeInside(run, choice, facts.region ?? null);
  const step = place?.scope.steps[nodeId] ?? null;
  const around = loopAround(run, nodeId) ?? facts.region ?? null;
  const total = around === null ? null : (shownLoop(run, choice, around)?.total ?? null);
  const base = { ...idleNode, iteration: place?.iteration?.number ?? null, iterationTotal: total };
  if (step === null) {
    const missing = notRun(run.status, place?.iteration?.status ?? null);
    const before = missing.state === "queued" ? stepBefore(run, choice, nodeId, place) : null;
    return { ...base, ...missing, before };
  }
  const own = step.loop ? { iteration: step.loop.current, iterationTotal: step.loop.total } : {};
  const before = step.status === "running" ? stepBefore(run, choice, nodeId, place) : null;
  return { ...base, ...own, ...stepRun(step, facts.branching), before };
}

/**
 * Returns the node's step in the iteration before the shown one; null if there is none, or if it did not
 * finish.
 */
function stepBefore(
  run: RunState,
  choice: Choice,
  nodeId: string,
  place: Pick<Place, "iteration"> | null,
): Step | null {
  const number = place?.iteration?.number ?? 1;
  const step = number > 1 ? stepIn(run, choice, nodeId, number - 1) : null;
  return step?.status === "completed" ? step : null;
}

/**
 * Returns the combined state of nodes drawn as one: states that need attention first, then running ones, then
 * finished ones.
 */
export function stateOfAll(states: readonly NodeRunState[]): NodeRunState {
  const first = (["failed", "waiting", "running"] as const).find((state) => states.includes(state));
  if (first) return first;
  const begun = states.includes("done");
  // A group between two of its nodes still counts as running.
  if (states.includes("queued")) return begun ? "running" : "queued";
  return begun ? "done" : states.includes("skipped") ? "skipped" : "idle";
}

function placeInside(run: RunState, choice: Choice, loopId: string | null) {
  const loop = loopId === null ? null : shownLoop(run, choice, loopId);
  const iteration = loop && shownIteration(loop, choice);
  return iteration && { scope: iteration.scope, iteration };
}

/** Returns whether nodes that have not run yet may still run in a run with this status. */
const isOpen = (status: RunStatus): boolean =>
  status === "running" || status === "waiting" || status === "paused" || status === "queued";

/** Returns the state of a node without a step: it may still run, or it was skipped. */
function notRun(status: RunStatus, iteration: string | null): Partial<NodeRun> {
  if (isOpen(status) && (iteration === null || iteration === "running")) return { state: "queued" };
  return {
    state: "skipped",
    skippedReason: iteration === null ? "not reached" : "not run in this iteration",
  };
}

function stepRun(step: Step, branching = false): Partial<NodeRun> {
  const streaming = step.status === "running" && step.text !== "";
  return {
    state: stateOf(step),
    durationMs: step.durationMs,
    startedAt: step.startedAt,
    pieces: step.status === "running" ? step.pieces : 0,
    activity: step.status === "completed" ? null : step.activity,
    attempts: step.attempts,
    retried: step.status === "running" ? step.retried : null,
    parked: step.status === "running" ? step.parked : null,
    silence: step.status === "running" ? step.silence : null,
    preparing: step.status === "running" ? step.preparing : null,
    preview: previewOf(step, streaming, branching),
    streaming,
    exitReason: step.loop?.exitReason ?? null,
    usage: step.usage.calls > 0 ? step.usage : null,
    message: step.error?.message ?? (step.status === "waiting" ? step.reason : null),
    question: step.status === "waiting" ? step.question : null,
    skippedReason: step.status === "skipped" ? step.reason : null,
    skipCause: step.skipCause,
    failedWithin: step.status === "failed" && hasFailedWithin(step),
    stopped: step.status === "cancelled",
  };
}

/** Returns whether a step failed because a node inside it failed. */
function hasFailedWithin({ loop, inner }: Step): boolean {
  const scope = inner ?? loop?.iterations.at(-1)?.scope;
  return scope !== undefined && Object.values(scope.steps).some(({ status }) => status === "failed");
}

/**
 * Returns the preview of a step; null if it has no text yet. The value of a branching node wraps the value it
 * passes on. Its preview shows the branch instead.
 */
function previewOf(step: Step, streaming: boolean, branching: boolean): string | null {
  if (streaming) return branching ? verdictSoFar(step.text) : endOf(step.text, TAIL);
  if (step.checked !== null) return `→ ${checkedText(step.checked)}`;
  if (step.branch !== null) return verdictWords(step.branch, step.branchReason);
  return step.preview ?? (step.text === "" ? null : endOf(step.text, TAIL));
}

function stateOf(step: Step): NodeRunState {
  switch (step.status) {
    case "completed":
      return "done";
    case "cancelled":
      return "skipped";
    default:
      return step.status;
  }
}

/** Returns the state of an Exit, which shows its loop's count. `exitReached` is null until the loop ends. */
function exitRun(run: RunState, choice: Choice, exitId: string, loopId: string): NodeRun {
  const loop = shownLoop(run, choice, loopId);
  if (loop === null) return { ...idleNode, ...notRun(run.status, null) };
  const own = placeOf(run, choice, exitId)?.scope.steps[exitId];
  const step = own && stepRun(own);
  const ended = loop.exitReason !== null;
  return {
    ...idleNode,
    ...step,
    state: step?.state === "failed" ? "failed" : endState(loop, run.status),
    failedWithin: step?.state !== "failed",
    preview: step?.preview ?? (ended ? (lastResult(loop) ?? null) : null),
    iteration: loop.current === 0 ? null : loop.current,
    iterationTotal: loop.total,
    exitReason: loop.exitReason,
    exitReached: ended ? isMet(loop) : null,
  };
}

function endState(loop: LoopRecord, status: RunStatus): NodeRunState {
  if (loop.exitReason === "error") return "failed";
  if (loop.exitReason === "cancelled") return "skipped";
  if (loop.exitReason !== null) return "done";
  return isOpen(status) ? "queued" : "skipped";
}

function lastResult(loop: LoopRecord): string | null | undefined {
  return loop.iterations.findLast((i) => i.status === "completed")?.resultPreview;
}

/**
 * Returns whether the loop ended because its exit condition was met. False if it is still running, failed,
 * was cancelled, or reached a limit.
 */
export function isMet(loop: LoopRecord): boolean {
  const { exitReason, exhausted } = loop;
  return exitReason !== null && !exhausted && exitReason !== "error" && exitReason !== "cancelled";
}

export function loopRun(run: RunState | null, choice: Choice, loopId: string): LoopRun | null {
  const place = run && placeOf(run, choice, loopId);
  const step = place?.scope.steps[loopId];
  if (!step) return null;
  const { loop } = step;
  return {
    state: stateOf(step),
    current: loop?.current ?? 0,
    total: loop?.total ?? null,
    shown: loop ? (shownIteration(loop, choice)?.number ?? null) : null,
    live: isFollowing(choice, loopId),
    exitReason: loop?.exitReason ?? null,
    exhausted: loop && loop.exitReason !== null ? loop.exhausted : null,
  };
}
