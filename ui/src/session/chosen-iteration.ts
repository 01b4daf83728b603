// The iteration of each loop that the whole window shows. It is the single source for timeline, canvas and
// inspector. "live" follows the running iteration.
import { create } from "zustand";

export type Chosen = number | "live";

/** A loop shown in the timeline, by its path in a run. */
export type TimelineLoop = { readonly runId: string; readonly path: string };

interface ChosenIterationState {
  /** The choice by Loop node id; absent means live. Iterations count from 1. */
  chosen: Record<string, Chosen>;
  /**
   * The loop shown in the timeline, whose iterations stay in memory or are read again. Each display creates a
   * new object.
   */
  timelineLoop: TimelineLoop | null;
  choose(loopId: string, iteration: Chosen): void;
  setTimelineLoop(loop: TimelineLoop | null): void;
  reset(): void;
}

export const useChosenIteration = create<ChosenIterationState>()((set) => ({
  chosen: {},
  timelineLoop: null,
  setTimelineLoop: (timelineLoop) => set({ timelineLoop }),
  choose: (loopId, iteration) => set((s) => ({ chosen: { ...s.chosen, [loopId]: iteration } })),
  reset: () => set({ chosen: {} }),
}));
