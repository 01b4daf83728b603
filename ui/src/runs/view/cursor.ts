// Moves the chosen iteration of a loop: one step, to the first, back to the newest.
import { create } from "zustand";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useRuns } from "../session/store";
import { runWithLoops } from "./level";
import { shownIteration, shownLoop } from "./view";

type TimelineState = {
  /**
   * The loop picked in the timeline. If null, the timeline shows the selected loop or the loop around the
   * selected node, otherwise the first loop.
   */
  readonly picked: string | null;
  pick(loopId: string | null): void;
};

export const useTimelineLoop = create<TimelineState>()((set) => ({
  picked: null,
  pick: (picked) => set({ picked }),
}));

/** Returns the id of the loop that the timeline and its shortcuts act on; null if there is none. */
export function currentLoop(selectedNode: string | null): string | null {
  const run = runWithLoops(useRuns.getState())?.state;
  if (!run) return null;
  const { picked } = useTimelineLoop.getState();
  return pickLoop(run.loopIds, run.chains, picked, selectedNode);
}

export function pickLoop(
  loopIds: readonly string[],
  chains: { readonly [nodeId: string]: readonly string[] },
  picked: string | null,
  selectedNode: string | null,
): string | null {
  if (picked !== null && loopIds.includes(picked)) return picked;
  if (selectedNode !== null && loopIds.includes(selectedNode)) return selectedNode;
  const around = selectedNode === null ? undefined : chains[selectedNode]?.at(-1);
  return around ?? loopIds[0] ?? null;
}

export function chooseLoopIteration(loopId: string, iteration: number | "live"): void {
  useChosenIteration.getState().choose(loopId, iteration);
}

/**
 * Shows the next or previous iteration of a loop. At the newest iteration, the view follows the run again.
 */
export function stepIteration(loopId: string, by: 1 | -1): void {
  const run = runWithLoops(useRuns.getState())?.state;
  const choice = useChosenIteration.getState().chosen;
  const loop = run && shownLoop(run, choice, loopId);
  const shown = loop && shownIteration(loop, choice)?.number;
  if (!loop || !shown) return;
  const next = shown + by;
  if (next < 1) return;
  if (next >= loop.iterations.length && by === 1) chooseLoopIteration(loopId, "live");
  else chooseLoopIteration(loopId, next);
}

/** Makes every loop follow its newest iteration again. */
export function followLive(): void {
  useChosenIteration.getState().reset();
}
