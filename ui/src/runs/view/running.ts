// The nodes that are running at the chosen iterations, and the nodes at which a run ended.
import { useShallow } from "zustand/react/shallow";
import { useChosenIteration } from "../../session/chosen-iteration";
import type { RunView, Step } from "../fold/model";
import { useRuns } from "../session/store";
import { runHere } from "./level";
import { shownStep } from "./view";

/**
 * Returns the nodes that someone watching the run most likely wants to see: the waiting ones, otherwise the
 * running ones. After the end of a run started here, these are its outputs or the failed nodes. After the end
 * of a past run, the list is empty. Running loops are left out, since they run as long as anything inside
 * them.
 */
export function leadingNodes(): string[] {
  const runs = useRuns.getState();
  const view = runHere(runs);
  if (!view) return [];
  const { chosen } = useChosenIteration.getState();
  const steps = view.document.nodes.flatMap(({ id }) => shownStep(view.state, chosen, id) ?? []);
  const waiting = steps.filter((step) => step.status === "waiting");
  const isWork = waiting.length === 0 && ["running", "paused"].includes(view.state.status);
  const working = steps.filter((step) => step.status === "running" && step.loop === null);
  const ended = runs.past === null ? lastSteps(view, steps) : [];
  const leading = isWork ? working : waiting.length > 0 ? waiting : ended;
  return leading.map((step) => step.nodeId);
}

/** Returns the last nodes of a run that was started in this window: its outputs, or the nodes that failed. */
function lastSteps({ document, state }: RunView, steps: readonly Step[]): readonly Step[] {
  if (state.status === "failed")
    return steps.filter((step) => step.status === "failed" && step.loop === null);
  if (state.status !== "completed") return [];
  const outputs = new Set(document.nodes.flatMap(({ id, type }) => (type === "output" ? [id] : [])));
  return steps.filter((step) => step.status === "completed" && outputs.has(step.nodeId));
}

export function useRunningNodes(): string[] {
  const choice = useChosenIteration((s) => s.chosen);
  return useRuns(
    useShallow((s) => {
      const view = runHere(s);
      if (view?.state.status !== "running") return [];
      return view.document.nodes
        .map((node) => node.id)
        .filter((id) => shownStep(view.state, choice, id)?.status === "running");
    }),
  );
}
