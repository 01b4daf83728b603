// The iteration of each loop that the whole window shows: timeline, canvas and inspector all read it from
// here. "live" follows the running iteration.
import { create } from "zustand";

export type Chosen = number | "live";

/** Identifies a loop that the timeline shows, by its run and its path in the run. */
export type TimelineLoop = { readonly runId: string; readonly path: string };

interface ChosenIterationState {
  /** The chosen iteration, keyed by the id of the Loop node; absent means live. Iterations count from 1. */
  chosen: Record<string, Chosen>;
  /**
   * The loop shown in the timeline. Its iterations stay in memory, and those that were evicted are read
   * again. The timeline sets a new object each time that it shows a loop.
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
