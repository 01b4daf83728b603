// The run as the shown flow sees it: that of the whole workflow, or of a subflow that is looked into.
import { breadcrumbPath, documentAt, useDocument } from "../../document/document";
import { flowAt } from "../../document/inside";
import { useChosenIteration } from "../../session/chosen-iteration";
import type { RunState, RunView, Scope } from "../fold/model";
import { flowKey, type Segment } from "../fold/path";
import { shownRun, useRuns } from "../session/store";
import { type Choice, placeOf } from "./view";

const EMPTY: Scope = { steps: {} };

/**
 * The state of the flow that the breadcrumbs lead to, each at the shown iteration of the loops around it. Its
 * steps keep the paths that they have in the run.
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

/** What was worked out for the run and the choice in hand, by the key of the flow. */
let known: { view: RunView; choice: Choice; byFlow: Map<string, RunView> } | null = null;

/** A run as the flow at the end of the breadcrumbs sees it. The same object for the same run, choice and breadcrumbs. */
function runAt(view: RunView, breadcrumbs: readonly string[]): RunView {
  if (breadcrumbs.length === 0) return view;
  const choice = useChosenIteration.getState().chosen;
  if (known?.view !== view || known.choice !== choice) known = { view, choice, byFlow: new Map() };
  const key = flowKey(breadcrumbs);
  const found = known.byFlow.get(key);
  if (found) return found;
  // A file that the run read when it began is inline in the run's document; a live run has the editor's own.
  const document =
    flowAt(view.document, breadcrumbs) ?? documentAt(useDocument.getState(), breadcrumbs) ?? view.document;
  const here = { ...view, document, state: runWithin(view.state, choice, breadcrumbs) };
  known.byFlow.set(key, here);
  return here;
}

/** The run in front, as the shown flow sees it. */
export function runHere(s: Parameters<typeof shownRun>[0]): RunView | null {
  const view = shownRun(s);
  return view && runAt(view, breadcrumbPath(useDocument.getState()));
}

/**
 * The run as the nearest flow sees it that has loops: the shown one, else one around it, so that the iterations that led
 * into a subflow can be gone through from inside.
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

/** A part of what `runHere` or `runWithLoops` gives. Its reader is drawn again when that part changed. */
export function useRunHere<T>(select: (view: RunView | null) => T, from = runHere): T {
  useDocument((s) => s.place);
  useChosenIteration((s) => s.chosen);
  return useRuns((s) => select(from(s)));
}
