// Identifies a field in requests for its names and its preview, with the run to use: the shown run at the
// chosen iterations, otherwise the newest run of the flow.
import { useDocument } from "../../../document/document";
import type { FieldPlace } from "../../../ipc/generated/bindings";
import { stepPath } from "../../../runs/fold/path";
import { useRuns } from "../../../runs/session/store";
import { runHere } from "../../../runs/view/level";
import type { Choice } from "../../../runs/view/view";
import { useChosenIteration } from "../../../session/chosen-iteration";

/** Returns the chosen iteration of each loop, without the loops that follow their newest iteration. */
export function chosenNumbers(choice: Choice): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [id, chosen] of Object.entries(choice)) if (typeof chosen === "number") numbers[id] = chosen;
  return numbers;
}

export function fieldPlace(node: string, field: string): FieldPlace {
  const view = runHere(useRuns.getState());
  const prefix = view?.state.prefix ?? [];
  const last = prefix.at(-1);
  return {
    node,
    field,
    runId: view?.state.runId || null,
    inside: last ? stepPath(prefix.slice(0, -1), last.id) : "",
    chosen: chosenNumbers(useChosenIteration.getState().chosen),
  };
}

/**
 * Returns a key that changes whenever values from the run may change: when the document, the shown run, its
 * progress or the chosen iteration changes.
 */
export function useWhatIsShown(): string {
  const documentPlace = useDocument((s) => s.place);
  const run = useRuns((s) => {
    const view = runHere(s);
    return view === null ? "" : `${view.state.runId} ${view.state.status} ${view.state.log.length >> 3}`;
  });
  const chosen = useChosenIteration((s) => s.chosen);
  return `${documentPlace} ${run} ${JSON.stringify(chosen)}`;
}
