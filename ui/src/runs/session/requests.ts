// What was asked of runs that workers lead, until a worker has acted on it: buttons say so meanwhile.
import { create } from "zustand";
import type { RunStatus } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";
import { isOver } from "../fold/status";

export type RequestKind = "stop" | "pause" | "resume" | "answer";

export type RunRequest = {
  readonly kind: RequestKind;
  /** Of an answer: the step that waits, and whether it may continue. */
  readonly path: string | null;
  readonly approved: boolean | null;
  /** The status and the newest event of the run when it was asked. */
  readonly status: RunStatus;
  readonly seq: number;
  /** The status has been another one since. */
  readonly moved: boolean;
};

/** What is known of a run by now. `seq` and `waiting` are null where only its status was read. */
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
      // A run that gets a larger budget is interrupted until a worker takes it up, and failed again where its batch has no room.
      return status === request.status ? request.moved : status !== "interrupted";
  }
}

interface Requests {
  readonly byRun: { readonly [runId: string]: RunRequest };
  add(runId: string, request: Omit<RunRequest, "moved">): void;
  remove(runId: string): void;
  /** Forgets what was asked once the run shows that a worker acted on it. */
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

/** What a run's state says of requests. */
export const knownOf = (state: RunState): ObservedRun => ({
  status: state.status,
  seq: state.log.at(-1)?.seq ?? -1,
  waiting: state.waiting,
});

export const useRequest = (runId: string | null | undefined): RunRequest | null =>
  useRequests((s) => (runId ? (s.byRun[runId] ?? null) : null));

/** The answer to a question that a worker has, and has not acted on yet. */
export const useSentAnswer = (runId: string, path: string): RunRequest | null => {
  const request = useRequest(runId);
  return request?.kind === "answer" && request.path === path ? request : null;
};
