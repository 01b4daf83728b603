// A run as the pages use it. They ask it for what they want, and do not know where it executes: on this computer (`here.ts`) or on
// the workers of a shared store (`by-workers.ts`).
import type {
  FieldEdit,
  ForkRequest,
  RunBudget,
  RunEvent,
  RunStatus,
  StepAnswer,
} from "../../ipc/generated/bindings";

/** What came of asking: it is done, or a worker does it later. Until then `useRequest` names it. */
export type Asked = "done" | "sent";

/** Starts a run whose events come through `onEvent`. Returns its id. */
export type Begin = (onEvent: (event: RunEvent) => void) => Promise<string>;

export interface RunSession {
  /** The shared store that the run is in, by name; null: this computer. */
  readonly store: string | null;
  /** What the command is called that runs it once more, which is always done on this computer. */
  readonly runAgainLabel: string;
  /** An opened run counts as live while it is not over; else it is a record, which somebody else may continue. */
  readonly opensLive: boolean;
  /** Reads what happens to the run until it is over or shown nowhere. `hasChannel`: its events come by a channel already. */
  follow(hasChannel?: boolean): void;
  /** Ends the run. `status` is the one that is known of it. */
  stop(status: RunStatus): Promise<Asked>;
  /** Lets what is running end, and starts nothing more. */
  pause(): Promise<Asked>;
  /** Lets a paused run continue. */
  unpause(): Promise<Asked>;
  /** Continues a run that was interrupted or paused, or one that was stopped at its budget and gets a larger one. */
  resume(budget: RunBudget | null): Promise<Asked>;
  /** Answers the step at `path`, which waits for a person, and continues the run. */
  answer(path: string, answer: StepAnswer): Promise<Asked>;
  /** Whether a fork may use what it would use. The person may be asked. */
  confirmFork(edits: FieldEdit[]): Promise<boolean>;
  fork(request: Omit<ForkRequest, "runId">): Begin;
  /** Makes the model call of the step at `path` once more; null where nobody who leads the run can hear it. */
  readonly askAgain: ((path: string) => Promise<unknown>) | null;
}
