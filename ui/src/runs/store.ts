// The runs the window knows: the live one and a past one that was opened. Both are folded by the same reducer.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { FlowDoc, Json, RunEvent } from "../ipc/generated/bindings";
import { useChosenIteration } from "../session/chosen-iteration";
import { frames } from "./frames";
import type { RunState } from "./model";
import { emptyRun, fold, foldAll } from "./reduce";

export type RunView = {
  readonly state: RunState;
  /** The document as it was when the run started: what the canvas shows for a past run. */
  readonly document: FlowDoc;
  readonly flowPath: string | null;
  /** Whether its events come as they happen. */
  readonly live: boolean;
};

type RunsState = {
  /** The run started last in this window; it stays here after its end. */
  readonly live: RunView | null;
  /** A run reopened from the history, in front of the live one until it is closed. */
  readonly past: RunView | null;
  readonly starting: boolean;
  readonly stopping: boolean;
  /** Starts a run. Rejects with the engine's reason when it is refused. */
  start(document: FlowDoc, flowPath: string | null, inputs: Record<string, Json>): Promise<string>;
  stop(): Promise<void>;
  open(runId: string): Promise<void>;
  closePast(): void;
  /** Takes the last run off the canvas. */
  clear(): void;
};

export const useRuns = create<RunsState>()((set, get) => ({
  live: null,
  past: null,
  starting: false,
  stopping: false,

  async start(document, flowPath, inputs) {
    const before = get().live;
    useChosenIteration.getState().reset();
    const view: RunView = { state: emptyRun("", document.name), document, flowPath, live: true };
    set({ live: view, past: null, starting: true, stopping: false });
    // A later start takes the place of this one; its events must not mix with these.
    let current = true;
    const unsubscribe = useRuns.subscribe((s) => {
      if (s.live?.document !== document) {
        current = false;
        unsubscribe();
      }
    });
    const sink = frames((events: readonly RunEvent[]) => {
      if (!current) return;
      set((s) => (s.live ? { live: { ...s.live, state: fold(s.live.state, events) } } : s));
    });
    try {
      const runId = await api().startRun(document, flowPath, inputs, (event) => sink.push(event));
      set((s) =>
        s.live?.document === document && s.live.state.runId === ""
          ? { live: { ...s.live, state: { ...s.live.state, runId } }, starting: false }
          : { starting: false },
      );
      return runId;
    } catch (error) {
      set({ live: before, starting: false });
      throw error;
    }
  },

  async stop() {
    const run = get().live?.state;
    if (run?.status !== "running" || run.runId === "") return;
    set({ stopping: true });
    try {
      await api().stopRun(run.runId);
    } finally {
      set({ stopping: false });
    }
  },

  async open(runId) {
    const live = get().live;
    if (live?.state.runId === runId) {
      set({ past: null });
      return;
    }
    const [detail, events] = await Promise.all([api().runDetail(runId), api().runEvents(runId)]);
    const state = foldAll(runId, events);
    useChosenIteration.getState().reset();
    set({
      past: { state, document: detail.document, flowPath: detail.summary.flowPath, live: false },
    });
  },

  closePast() {
    useChosenIteration.getState().reset();
    set({ past: null });
  },

  clear() {
    useChosenIteration.getState().reset();
    set((s) => (s.live?.state.status === "running" ? { past: null } : { live: null, past: null }));
  },
}));

/** The run in front: the reopened one, else the one started last. */
export function shownRun(s: Pick<RunsState, "live" | "past">): RunView | null {
  return s.past ?? s.live;
}

export function isRunning(view: RunView | null): boolean {
  return view?.live === true && (view.state.status === "running" || view.state.status === "waiting");
}
