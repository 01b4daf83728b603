// Hooks on the shown run, for the inspector and the timeline.
import { useChosenIteration } from "../../session/chosen-iteration";
import { type ClockPlace, useNow } from "../../session/clock";
import { isPausing, type LoopRecord, type RunState, type RunView } from "../fold/model";
import { isUnfinished, shownRun, useRuns } from "../session/store";
import { runWithLoops, useRunHere } from "./level";
import { type Choice, shownLoop } from "./view";

export function useShownRun(): RunView | null {
  return useRunHere((view) => view);
}

export function useChoice(): Choice {
  return useChosenIteration((s) => s.chosen);
}

/**
 * Returns the run that the timeline shows. If the shown flow has no loops, the run appears as seen from the
 * nearest surrounding flow that has loops. Null if no run is shown.
 */
export function useTimelineRun(): RunView | null {
  return useRunHere((view) => view, runWithLoops);
}

/** Selects a part of the shown run. The component re-renders only when that part changes. */
export function useRunPart<T>(select: (run: RunState) => T, otherwise: T): T {
  return useRunHere((view) => (view ? select(view.state) : otherwise));
}

/** Returns the record of a loop at the chosen iterations; null if the loop has not started there. */
export function useLoopRecord(loopId: string | null): LoopRecord | null {
  const choice = useChoice();
  return useRunHere(
    (view) => (loopId === null || view === null ? null : shownLoop(view.state, choice, loopId)),
    runWithLoops,
  );
}

/**
 * Returns the current time, in milliseconds since the epoch, for the clocks in this part of the window. The
 * time does not advance while the run is suspended.
 */
export function useRunNow(place: ClockPlace, active: boolean): number {
  const restsAt = useRuns((s) => {
    const state = shownRun(s)?.state;
    return !state || state.status === "running" || isPausing(state) ? null : state.lastAt;
  });
  const tick = useNow(place, active && restsAt === null);
  return restsAt ?? tick;
}

export function useIsRunning(): boolean {
  return useRuns((s) => isUnfinished(shownRun(s)));
}
