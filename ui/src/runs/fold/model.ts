// The state of a run after its events are folded: a tree of scopes, steps, loops and iterations. Objects are
// never mutated after they are published, so a reader detects a change by a new reference.

import type {
  Budget,
  Checked,
  ExitReason,
  FlowDoc,
  Json,
  Question,
  RunEvent,
  RunStatus,
  SkipCause,
  Usage,
  Warning,
} from "../../ipc/generated/bindings";
import type { Segment } from "./path";

export type StepStatus = "running" | "waiting" | "completed" | "failed" | "skipped" | "cancelled";

export type StepError = { code: string; message: string };

/**
 * A failed attempt. The next one starts at `until`, in milliseconds since the epoch. `of` is the maximum
 * number of attempts, if known.
 */
export type FailedAttempt = StepError & { readonly until: number; readonly of: number | null };

/**
 * A wait for a used-up quota of the provider or agent `name`. The call is made again at `until`, in
 * milliseconds since the epoch. `message` is the refusal.
 */
export type QuotaWait = { readonly name: string; readonly until: number; readonly message: string };

/**
 * A pause in a streamed answer. Nothing has arrived since `since` (milliseconds since the epoch). The call
 * ends if nothing arrives for `limitMs`.
 */
export type Silence = { readonly since: number; readonly limitMs: number };

/**
 * The current or last action of an agent, with its progress. `tokens` is null until the agent program reports
 * its usage.
 */
export type AgentActivity = {
  readonly line: string;
  readonly entries: number;
  readonly tokens: number | null;
};

/** One execution of one node. */
export type Step = {
  /** The path as in the events, with iterations counted from 1: `refine[2]/draft`. */
  readonly path: string;
  readonly nodeId: string;
  readonly status: StepStatus;
  /** The start time in milliseconds since the epoch; null before the step began. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  /** The number of times the step was started; more than 1 after a retry or a resume. */
  readonly attempts: number;
  /** The previous attempt's failure, while the step is being retried. */
  readonly retried: FailedAttempt | null;
  /** The quota that the step waits for. */
  readonly parked: QuotaWait | null;
  /** Set while a call is running and no part of its answer has arrived for a while. */
  readonly silence: Silence | null;
  /** What the step prepares before it begins its work, such as `workspace`. */
  readonly preparing: string | null;
  readonly inputPreview: string | null;
  /** The text streamed so far. */
  readonly text: string;
  /** The number of streamed pieces so far. It approximates the number of tokens until the usage is known. */
  readonly pieces: number;
  /** Set for an agent, once it has done something. */
  readonly activity: AgentActivity | null;
  readonly preview: string | null;
  readonly usage: Usage;
  readonly branch: string | null;
  /** The reason for the branch taken, if the node's value contains one; shortened if it is long. */
  readonly branchReason: string | null;
  /** For a node that ran tests: the numbers of passed and failed tests. */
  readonly checked: Checked | null;
  readonly model: string | null;
  /** The reason the step was skipped, or what it waits for. */
  readonly reason: string | null;
  /** Why the step was skipped; null if it was not skipped, or if this version does not know the reason. */
  readonly skipCause: SkipCause | null;
  /** The question the step asks while it waits for a person. */
  readonly question: Question | null;
  /** Whether the node was skipped because the user pinned its value. */
  readonly pinned: boolean;
  readonly error: StepError | null;
  /** Set for a loop or an iterator. */
  readonly loop: LoopRecord | null;
  /** Set for a node that contains other nodes without repeating them (a subflow). */
  readonly inner: Scope | null;
};

/** The steps of one level: the workflow itself, a subflow or one iteration. */
export type Scope = { readonly steps: { readonly [nodeId: string]: Step } };

export type Iteration = {
  /** The iteration's number, counted from 1 as everywhere in the window. */
  readonly number: number;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  readonly usage: Usage;
  readonly similarity: number | null;
  readonly conditionResult: boolean | null;
  readonly score: number | null;
  readonly inputPreview: string;
  readonly resultPreview: string | null;
  /**
   * Whether a value reached the end of the iteration. False while the iteration runs, or if it took a branch
   * that does not lead to the exit.
   */
  readonly reachedExit: boolean;
  readonly scope: Scope;
  /**
   * Set in long runs if the iteration's contents were not read yet or were evicted; `scope` and
   * `inputPreview` are then empty.
   */
  readonly unread?: boolean;
};

export type LoopRecord = {
  readonly path: string;
  readonly nodeId: string;
  readonly total: number | null;
  readonly iterations: readonly Iteration[];
  /** The number of the most recently started iteration; 0 before the first. */
  readonly current: number;
  /**
   * The newest check of the loop's condition. A check before the first iteration, which may end the loop,
   * counts too.
   */
  readonly lastCheck: { readonly index: number; readonly result: boolean } | null;
  readonly exitReason: ExitReason | null;
  readonly exhausted: boolean;
  /** The number of finished iterations as the engine counts them; null while the loop runs. */
  readonly iterationsRun: number | null;
};

/** The part of the run's state that is kept for each flow: the run's own flow, and each subflow. */
export type Within = {
  readonly chains: { readonly [nodeId: string]: readonly string[] };
  readonly loopIds: readonly string[];
};

export type RunState = {
  readonly runId: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  /**
   * The start time in milliseconds since the epoch, moved forward by the time in which the run was paused or
   * waited for a person, or the computer slept. The time from `since` until now is therefore the running
   * time.
   */
  readonly since: number;
  /** The time of the last event. */
  readonly lastAt: number;
  /**
   * The pauses of the run in order, including waits for a person and the computer's sleep. Each one ended
   * with the event `seq` and lasted `ms` milliseconds.
   */
  readonly rests: readonly { readonly seq: number; readonly ms: number }[];
  readonly inputs: Json;
  readonly outputs: Json;
  readonly usage: Usage;
  /** The newest state of the budget; null if none is set. */
  readonly budget: Budget | null;
  readonly warnings: readonly Warning[];
  readonly error: { readonly code: string; readonly message: string; readonly nodeId: string | null } | null;
  readonly root: Scope;
  /** The ids of the loops around each known node, outermost first. */
  readonly chains: { readonly [nodeId: string]: readonly string[] };
  /** The paths of the steps that wait for a person. */
  readonly waiting: readonly string[];
  /** The ids of the loops and iterators, in the order in which they first started. */
  readonly loopIds: readonly string[];
  /**
   * The chains and loops of the flows inside subflows, keyed by the breadcrumbs of subflow nodes:
   * `polish/check`.
   */
  readonly within: { readonly [flow: string]: Within };
  /** Set when the view is inside a subflow: the prefix of its nodes' paths. */
  readonly prefix: readonly Segment[];
  /** The recorded events, without streamed text. */
  readonly log: readonly RunEvent[];
};

/** Returns whether a step without inner steps is running. */
export function isUnderWay(scope: Scope): boolean {
  return Object.values(scope.steps).some((step) => {
    if (step.status !== "running") return false;
    if (step.loop !== null)
      return step.loop.iterations.some((i) => i.status === "running" && isUnderWay(i.scope));
    return step.inner === null || isUnderWay(step.inner);
  });
}

/** Returns whether the run is paused while steps are still running. Those steps still take time and money. */
export const isPausing = (run: RunState): boolean => run.status === "paused" && isUnderWay(run.root);

/** Returns the running time of a run in milliseconds, without pauses; null before its first event. */
export function ranFor(run: RunState, now: number): number | null {
  if ((run.status === "running" || isPausing(run)) && run.since > 0) return Math.max(0, now - run.since);
  return run.durationMs ?? (run.since > 0 ? run.lastAt - run.since : null);
}

/**
 * Returns whether a loop failed although none of its nodes did, because its condition or a variable could not
 * be evaluated.
 */
export function failedItself(loop: Pick<LoopRecord, "exitReason" | "iterations">): boolean {
  if (loop.exitReason !== "error") return false;
  // With several concurrent iterations, the failed one need not be the last. The steps of an evicted
  // iteration are unknown, so one of them may have failed.
  const failed = loop.iterations.filter((one) => one.status === "failed");
  const ofNode = (one: Iteration) =>
    one.unread || Object.values(one.scope.steps).some((step) => step.status === "failed");
  return !failed.some(ofNode);
}

/** The parts of a run needed to compute the relative times of its events. */
export type RunClock = Pick<RunState, "since" | "rests">;

/** Returns the running time at an event: milliseconds since the run began, without pauses. */
export function timeOf(run: RunClock, event: Pick<RunEvent, "seq" | "at">): number {
  const ahead = run.rests.reduce((sum, rest) => (rest.seq > event.seq ? sum + rest.ms : sum), 0);
  return Date.parse(event.at) - run.since + ahead;
}

export const NO_USAGE: Usage = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

const cutOff = (calls: number): Partial<Usage> => (calls === 0 ? {} : { cut_off_calls: calls });
const longestPrompt = (tokens: number): Partial<Usage> => (tokens === 0 ? {} : { longest_prompt: tokens });

/** Returns the sum of two usages. An unknown cost makes the sum unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
    ...cutOff((a.cut_off_calls ?? 0) + (b.cut_off_calls ?? 0)),
    ...longestPrompt(Math.max(a.longest_prompt ?? 0, b.longest_prompt ?? 0)),
  };
}

/** Returns the usage added between two totals: `is` minus `was`. The longest prompt is that of `is`. */
export function usageSince(was: Usage, is: Usage): Usage {
  return {
    calls: is.calls - was.calls,
    input_tokens: is.input_tokens - was.input_tokens,
    output_tokens: is.output_tokens - was.output_tokens,
    cost_usd: is.cost_usd === null ? null : is.cost_usd - (was.cost_usd ?? 0),
    ...cutOff((is.cut_off_calls ?? 0) - (was.cut_off_calls ?? 0)),
    // Which of the calls had the longest prompt is not known. Sums keep the longest one.
    ...longestPrompt(is.longest_prompt ?? 0),
  };
}

/** A run shown in the window. */
export type RunView = {
  readonly state: RunState;
  /** The document at the start of the run, which the canvas shows for a past run. */
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** Whether the window receives the run's events as they happen. */
  readonly live: boolean;
  /** Identifies a run that was started here and does not have an id yet. */
  readonly turn?: number;
};
