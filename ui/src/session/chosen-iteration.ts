// The one cursor over time: which iteration of each loop the whole window shows. Timeline, canvas and
// inspector read it and nothing else decides. "live" follows the iteration that is running.
import { create } from "zustand";

export type Chosen = number | "live";

interface ChosenIterationState {
  /** By Loop node id; absent means live. Iterations count from 1. */
  chosen: Record<string, Chosen>;
  choose(loopId: string, iteration: Chosen): void;
  reset(): void;
}

export const useChosenIteration = create<ChosenIterationState>()((set) => ({
  chosen: {},
  choose: (loopId, iteration) => set((s) => ({ chosen: { ...s.chosen, [loopId]: iteration } })),
  reset: () => set({ chosen: {} }),
}));
