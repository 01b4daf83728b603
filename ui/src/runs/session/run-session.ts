// The interface through which pages control a run, wherever it executes: on this computer (`here.ts`) or on
// the workers of a shared store (`by-workers.ts`).
import type {
  FieldEdit,
  ForkRequest,
  RunBudget,
  RunEvent,
  RunStatus,
  StepAnswer,
} from "../../ipc/generated/bindings";

/**
 * The result of a request: "done", or "sent" to a worker that acts later. Until the worker acts, `useRequest`
 * returns the request.
 */
export type Asked = "done" | "sent";

/** Starts a run whose events are passed to `onEvent`. Returns its id. */
export type Begin = (onEvent: (event: RunEvent) => void) => Promise<string>;

export interface RunSession {
  /** The name of the shared store that contains the run; null for this computer. */
  readonly store: string | null;
  /** The label of the command that starts the run again. The new run always executes on this computer. */
  readonly runAgainLabel: string;
  /**
   * Whether a run that is opened counts as live until it is over. If false, it is shown as a record, although
   * someone else may continue it.
   */
  readonly opensLive: boolean;
  /**
   * Follows the run until it is over or no longer shown. `hasChannel` means a channel already delivers its
   * events.
   */
  follow(hasChannel?: boolean): void;
  /** Ends the run. `status` is its last known status. */
  stop(status: RunStatus): Promise<Asked>;
  /** Lets running steps finish and starts no new ones. */
  pause(): Promise<Asked>;
  /** Withdraws a request to pause, so that the run continues. */
  unpause(): Promise<Asked>;
  /**
   * Resumes a run that was interrupted or paused, or continues one stopped at its budget with a larger one.
   */
  resume(budget: RunBudget | null): Promise<Asked>;
  /** Answers the step at `path`, which waits for a person, and continues the run. */
  answer(path: string, answer: StepAnswer): Promise<Asked>;
  /**
   * Asks the user, if necessary, whether a fork may have the permissions it needs. Resolves with the answer.
   */
  confirmFork(edits: FieldEdit[]): Promise<boolean>;
  fork(request: Omit<ForkRequest, "runId">): Begin;
  /**
   * Repeats the model call of the step at `path`. Null if the program that executes the run cannot receive
   * this request.
   */
  readonly askAgain: ((path: string) => Promise<unknown>) | null;
}
