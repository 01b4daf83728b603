// The requests sent to runs on workers that no worker has acted on yet. Buttons show them as pending.
import { create } from "zustand";
import type { RunStatus } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";
import { isOver } from "../fold/status";

export type RequestKind = "stop" | "pause" | "resume" | "answer";

export type RunRequest = {
  readonly kind: RequestKind;
  /** For an answer: the path of the waiting step, and whether the answer lets the step continue. */
  readonly path: string | null;
  readonly approved: boolean | null;
  /** The status and the newest event number of the run at the time of the request. */
  readonly status: RunStatus;
  readonly seq: number;
  /** Whether the status has changed since the request. */
  readonly moved: boolean;
};

/** The observed state of a run. `seq` and `waiting` are null if only its status was read. */
type ObservedRun = {
  readonly status: RunStatus;
  readonly seq: number | null;
  readonly waiting: readonly string[] | null;
};

const WORDS: Record<RequestKind, string> = {
  stop: "Asked to stop…",
  pause: "Asked to pause…",
  resume: "Asked to resume…",
  answer: "Answer sent…",
};

export const requestWords = ({ kind }: RunRequest): string => WORDS[kind];

export function isSettled(request: RunRequest, { status, seq, waiting }: ObservedRun): boolean {
  switch (request.kind) {
    case "stop":
      return isOver(status);
    case "pause":
      return status !== "running" && status !== "queued";
    case "answer":
      if (isOver(status)) return true;
      if (waiting !== null) return !waiting.includes(request.path ?? "");
      return request.status === "waiting" && status !== "waiting";
    case "resume":
      if (seq !== null && seq > request.seq) return true;
      // A run whose budget was raised is "interrupted" until a worker claims it. It fails again if its batch
      // has no budget left.
      return status === request.status ? request.moved : status !== "interrupted";
  }
}

interface Requests {
  readonly byRun: { readonly [runId: string]: RunRequest };
  add(runId: string, request: Omit<RunRequest, "moved">): void;
  remove(runId: string): void;
  /** Removes the request if the run's state shows that a worker has acted on it. */
  settle(runId: string, known: ObservedRun): void;
}

export const useRequests = create<Requests>()((set, get) => ({
  byRun: {},
  add: (runId, request) => set((s) => ({ byRun: { ...s.byRun, [runId]: { ...request, moved: false } } })),
  remove(runId) {
    if (get().byRun[runId] === undefined) return;
    const { [runId]: _, ...byRun } = get().byRun;
    set({ byRun });
  },
  settle(runId, known) {
    const request = get().byRun[runId];
    if (request === undefined) return;
    if (isSettled(request, known)) get().remove(runId);
    else if (known.status !== request.status && !request.moved)
      set((s) => ({ byRun: { ...s.byRun, [runId]: { ...request, moved: true } } }));
  },
}));

/** Returns the parts of a run's state that settle requests. */
export const knownOf = (state: RunState): ObservedRun => ({
  status: state.status,
  seq: state.log.at(-1)?.seq ?? -1,
  waiting: state.waiting,
});

export const useRequest = (runId: string | null | undefined): RunRequest | null =>
  useRequests((s) => (runId ? (s.byRun[runId] ?? null) : null));

/**
 * Returns the answer to a step that was sent to the workers, while no worker has acted on it; null if there
 * is none.
 */
export const useSentAnswer = (runId: string, path: string): RunRequest | null => {
  const request = useRequest(runId);
  return request?.kind === "answer" && request.path === path ? request : null;
};
