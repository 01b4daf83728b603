// What a run looks like once its events are folded: a tree of scopes, steps, loops and iterations.
// Every object is immutable from outside, so a reader that holds one sees a change as a new reference.

import type {
  Budget,
  Checked,
  ExitReason,
  FlowDoc,
  Json,
  Question,
  RunEvent,
  RunStatus,
  Usage,
  Warning,
} from "../../ipc/generated/bindings";
import type { Segment } from "./path";

export type StepStatus = "running" | "waiting" | "completed" | "failed" | "skipped" | "cancelled";

export type StepError = { code: string; message: string };

/**
 * A failed attempt, behind which another begins at `until`, in milliseconds since the epoch. `of`: how many attempts there are at
 * most, where that is known.
 */
export type FailedAttempt = StepError & { readonly until: number; readonly of: number | null };

/** Nothing of an answer came since then; the call ends if nothing comes for `limitMs`. Times in milliseconds since the epoch. */
export type Silence = { readonly since: number; readonly limitMs: number };

/** One node in one pass. */
export type Step = {
  /** As in the events, iterations counted from 1: `refine[2]/draft`. */
  readonly path: string;
  readonly nodeId: string;
  readonly status: StepStatus;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  /** How often it was started; more than 1 after a retry or a resume. */
  readonly attempts: number;
  /** While it is tried again, what the attempt before failed of. */
  readonly retried: FailedAttempt | null;
  /** While a call is under way and its answer does not move. */
  readonly silence: Silence | null;
  readonly inputPreview: string | null;
  /** Streamed so far. */
  readonly text: string;
  /** Streamed pieces so far: the nearest thing to a token count before the usage is known. */
  readonly pieces: number;
  readonly preview: string | null;
  readonly usage: Usage;
  readonly branch: string | null;
  /** Why it took its branch, where its value says so; of a long text the beginning. */
  readonly branchReason: string | null;
  /** Of a node that ran tests: how many passed and failed. */
  readonly checked: Checked | null;
  readonly model: string | null;
  /** Why it was skipped, or what it waits for. */
  readonly reason: string | null;
  /** What it asks, while it waits for a person. */
  readonly question: Question | null;
  /** It was not visited: a person fixed its value. */
  readonly pinned: boolean;
  readonly error: StepError | null;
  /** Set on a loop or an iterator. */
  readonly loop: LoopRecord | null;
  /** Set on a node that holds other nodes without repeating them (a subflow). */
  readonly inner: Scope | null;
};

/** The steps of one level: the workflow itself, or one iteration. */
export type Scope = { readonly steps: { readonly [nodeId: string]: Step } };

export type Iteration = {
  /** Counted from 1, as everywhere in the window. */
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
  /** Whether a value reached its end; false where a branch turned away, and while it runs. */
  readonly reachedExit: boolean;
  readonly scope: Scope;
  /** Of a long run: what happened inside was not read yet or was evicted; `scope` and `inputPreview` are empty. */
  readonly unread?: boolean;
};

export type LoopRecord = {
  readonly path: string;
  readonly nodeId: string;
  readonly total: number | null;
  readonly iterations: readonly Iteration[];
  /** The number of the iteration that started last; 0 before the first. */
  readonly current: number;
  /** The newest check of the condition, also one that ended the loop before any iteration. */
  readonly lastCheck: { readonly index: number; readonly result: boolean } | null;
  readonly exitReason: ExitReason | null;
  readonly exhausted: boolean;
  /** Finished iterations as the engine counts them; null while it runs. */
  readonly iterationsRun: number | null;
};

/** What is known of the nodes of a flow inside a subflow. */
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
  /** When it would have begun had it never rested: paused, or waiting for somebody. */
  readonly since: number;
  /** Of the last event. */
  readonly lastAt: number;
  /** Where the run rested: before the event of this number, for so many milliseconds. In order. */
  readonly rests: readonly { readonly seq: number; readonly ms: number }[];
  readonly inputs: Json;
  readonly outputs: Json;
  readonly usage: Usage;
  /** How its budget stood last; null where none is set. */
  readonly budget: Budget | null;
  readonly warnings: readonly Warning[];
  readonly error: { readonly code: string; readonly message: string; readonly nodeId: string | null } | null;
  readonly root: Scope;
  /** The loops around each node that has been met, outermost first. */
  readonly chains: { readonly [nodeId: string]: readonly string[] };
  /** Paths of the steps that wait for a person. */
  readonly waiting: readonly string[];
  /** Loops and iterators in the order in which they first started. */
  readonly loopIds: readonly string[];
  /** The same of the flows inside subflows, by the breadcrumbs of subflow nodes: `polish/check`. */
  readonly within: { readonly [flow: string]: Within };
  /** Set where a subflow is looked into: what stands before the paths of its nodes. */
  readonly prefix: readonly Segment[];
  /** Every event but the streamed pieces. */
  readonly log: readonly RunEvent[];
};

/** Whether a step that holds no others is running. */
export function isUnderWay(scope: Scope): boolean {
  return Object.values(scope.steps).some((step) => {
    if (step.status !== "running") return false;
    if (step.loop !== null)
      return step.loop.iterations.some((i) => i.status === "running" && isUnderWay(i.scope));
    return step.inner === null || isUnderWay(step.inner);
  });
}

/** Whether a run is to pause, and what was under way has not ended yet: it still takes time and money. */
export const isPausing = (run: RunState): boolean => run.status === "paused" && isUnderWay(run.root);

/** For how long a run has run, in milliseconds, without the times in which it rested; null before its first event. */
export function ranFor(run: RunState, now: number): number | null {
  if ((run.status === "running" || isPausing(run)) && run.since > 0) return Math.max(0, now - run.since);
  return run.durationMs ?? (run.since > 0 ? run.lastAt - run.since : null);
}

/** Whether a loop failed although none of its nodes did: its condition, or a variable, could not be worked out. */
export function failedItself(loop: Pick<LoopRecord, "exitReason" | "iterations">): boolean {
  if (loop.exitReason !== "error") return false;
  // Of several at once the last need not be the one that failed, and of one that was evicted nothing is known.
  const failed = loop.iterations.filter((one) => one.status === "failed");
  const ofNode = (one: Iteration) =>
    one.unread || Object.values(one.scope.steps).some((step) => step.status === "failed");
  return !failed.some(ofNode);
}

/** What the time of an event in a run is counted by. */
export type RunClock = Pick<RunState, "since" | "rests">;

/** When an event happened, in milliseconds since the run began, without the times in which it rested. */
export function timeOf(run: RunClock, event: Pick<RunEvent, "seq" | "at">): number {
  const ahead = run.rests.reduce((sum, rest) => (rest.seq > event.seq ? sum + rest.ms : sum), 0);
  return Date.parse(event.at) - run.since + ahead;
}

export const NO_USAGE: Usage = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

const cutOff = (calls: number): Partial<Usage> => (calls === 0 ? {} : { cut_off_calls: calls });

/** Sums two usages; an unknown cost makes the sum unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
    ...cutOff((a.cut_off_calls ?? 0) + (b.cut_off_calls ?? 0)),
  };
}

/** What came to a usage since it was as it `was`. */
export function usageSince(was: Usage, is: Usage): Usage {
  return {
    calls: is.calls - was.calls,
    input_tokens: is.input_tokens - was.input_tokens,
    output_tokens: is.output_tokens - was.output_tokens,
    cost_usd: is.cost_usd === null ? null : is.cost_usd - (was.cost_usd ?? 0),
    ...cutOff((is.cut_off_calls ?? 0) - (was.cut_off_calls ?? 0)),
  };
}

/** A run that the window shows. */
export type RunView = {
  readonly state: RunState;
  /** The document as it was when the run started: what the canvas shows for a past run. */
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** Whether its events come as they happen. */
  readonly live: boolean;
  /** Tells the runs that were started here apart, before they have an id. */
  readonly turn?: number;
};
