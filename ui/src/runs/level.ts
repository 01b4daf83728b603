// The run as the shown flow sees it: that of the whole workflow, or of a subflow that is looked into.
import { useDocument, wayIn } from "../document/document";
import { flowAt } from "../document/inside";
import { useChosenIteration } from "../session/chosen-iteration";
import type { RunState, Scope } from "./model";
import { type Segment, wayKey } from "./path";
import { type RunView, shownRun, useRuns } from "./store";
import { type Choice, placeOf } from "./view";

const EMPTY: Scope = { steps: {} };

/**
 * The state of the flow that a way of subflow nodes leads to, each at the shown iteration of the loops around it. Its
 * steps keep the paths that they have in the run.
 */
export function runWithin(run: RunState, choice: Choice, way: readonly string[]): RunState {
  let state = run;
  for (const [depth, id] of way.entries()) {
    const place = placeOf(state, choice, id);
    const inner = place?.scope.steps[id]?.inner ?? EMPTY;
    const level = run.within[wayKey(way.slice(0, depth + 1))];
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

type Known = { view: RunView; choice: Choice; way: readonly string[]; here: RunView };
let known: Known | null = null;

/** The run in front, as the shown flow sees it. The same object for the same run, choice and flow. */
export function runHere(s: Parameters<typeof shownRun>[0]): RunView | null {
  const view = shownRun(s);
  const documents = useDocument.getState();
  const way = wayIn(documents);
  if (view === null || way.length === 0) return view;
  const choice = useChosenIteration.getState().chosen;
  const same = known?.view === view && known.choice === choice && wayKey(known.way) === wayKey(way);
  if (known !== null && same) return known.here;
  // A file that the run read when it began is inline in the run's document; a live run has the editor's own.
  const document = flowAt(view.document, way) ?? documents.document;
  const here = { ...view, document, state: runWithin(view.state, choice, way) };
  known = { view, choice, way, here };
  return here;
}

/** A part of what `runHere` gives. Its reader is drawn again when that part changed, or another flow is shown. */
export function useRunHere<T>(select: (view: RunView | null) => T): T {
  useDocument((s) => s.place);
  useChosenIteration((s) => s.chosen);
  return useRuns((s) => select(runHere(s)));
}
