// The one cursor over time: which iteration of each loop the whole window shows. Timeline, canvas and
// inspector read it and nothing else decides. "live" follows the iteration that is running.
import { create } from "zustand";

export type Chosen = number | "live";

/** A loop whose iterations the timeline draws, by its path in a run. */
export type TimelineLoop = { readonly runId: string; readonly path: string };

interface ChosenIterationState {
  /** By Loop node id; absent means live. Iterations count from 1. */
  chosen: Record<string, Chosen>;
  /** What the timeline draws stays in the window, or is read again. A new object each time that it comes to be drawn. */
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
