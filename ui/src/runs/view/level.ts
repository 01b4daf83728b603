// The part of a run that belongs to the shown flow: the whole workflow, or an opened subflow.
import { breadcrumbPath, documentAt, useDocument } from "../../document/document";
import { flowAt } from "../../document/inside";
import { useChosenIteration } from "../../session/chosen-iteration";
import type { RunState, RunView, Scope } from "../fold/model";
import { flowKey, type Segment } from "../fold/path";
import { shownRun, useRuns } from "../session/store";
import { type Choice, placeOf } from "./view";

const EMPTY: Scope = { steps: {} };

/**
 * Returns the state of the flow at the end of the breadcrumbs, at the shown iteration of each loop around it.
 * The paths of its steps stay relative to the whole run.
 */
export function runWithin(run: RunState, choice: Choice, breadcrumbs: readonly string[]): RunState {
  let state = run;
  for (const [depth, id] of breadcrumbs.entries()) {
    const place = placeOf(state, choice, id);
    const inner = place?.scope.steps[id]?.inner ?? EMPTY;
    const level = run.within[flowKey(breadcrumbs.slice(0, depth + 1))];
    const prefix: readonly Segment[] = [...(place?.around ?? state.prefix), { id, iteration: null }];
    state = {
      ...run,
      root: inner,
      chains: level?.chains ?? {},
      loopIds: level?.loopIds ?? [],
      prefix,
    };
  }
  return state;
}

/** The cached results for the current run and choice, by the key of the flow. */
let known: { view: RunView; choice: Choice; byFlow: Map<string, RunView> } | null = null;

/**
 * Returns the run as it appears from the flow at the end of the breadcrumbs. Calls with the same run, choice
 * and breadcrumbs return the same object.
 */
function runAt(view: RunView, breadcrumbs: readonly string[]): RunView {
  if (breadcrumbs.length === 0) return view;
  const choice = useChosenIteration.getState().chosen;
  if (known?.view !== view || known.choice !== choice) known = { view, choice, byFlow: new Map() };
  const key = flowKey(breadcrumbs);
  const found = known.byFlow.get(key);
  if (found) return found;
  // A past run's document contains the files it read at the start. For a live run, they come from the editor.
  const document =
    flowAt(view.document, breadcrumbs) ?? documentAt(useDocument.getState(), breadcrumbs) ?? view.document;
  const here = { ...view, document, state: runWithin(view.state, choice, breadcrumbs) };
  known.byFlow.set(key, here);
  return here;
}

/** Returns the part of the shown run that belongs to the shown flow; null if no run is shown. */
export function runHere(s: Parameters<typeof shownRun>[0]): RunView | null {
  const view = shownRun(s);
  return view && runAt(view, breadcrumbPath(useDocument.getState()));
}

/**
 * Returns the run as it appears from the nearest flow with loops: the shown flow, otherwise one that contains
 * it. If no flow has loops, it is the shown flow. Inside a subflow, you can then step through the iterations
 * around the subflow. Null if no run is shown.
 */
export function runWithLoops(s: Parameters<typeof shownRun>[0]): RunView | null {
  const view = shownRun(s);
  if (view === null) return null;
  const breadcrumbs = breadcrumbPath(useDocument.getState());
  for (let length = breadcrumbs.length; length >= 0; length -= 1) {
    const at = runAt(view, breadcrumbs.slice(0, length));
    if (at.state.loopIds.length > 0) return at;
  }
  return runAt(view, breadcrumbs);
}

/**
 * Selects a part of the result of `runHere` or `runWithLoops`. The component re-renders only when that part
 * changes.
 */
export function useRunHere<T>(select: (view: RunView | null) => T, from = runHere): T {
  useDocument((s) => s.place);
  useChosenIteration((s) => s.chosen);
  return useRuns((s) => select(from(s)));
}
