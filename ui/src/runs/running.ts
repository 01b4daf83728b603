// Which nodes run at this moment, as the chosen iterations show it.
import { useShallow } from "zustand/react/shallow";
import { useChosenIteration } from "../session/chosen-iteration";
import { runHere } from "./level";
import { useRuns } from "./store";
import { shownStep } from "./view";

/**
 * The nodes that a person who watches the run wants to see: those that wait for somebody, else those that run. A loop runs as long as
 * anything in it does, so it is left out.
 */
export function leadingNodes(): string[] {
  const view = runHere(useRuns.getState());
  if (!view) return [];
  const { chosen } = useChosenIteration.getState();
  const steps = view.document.nodes.flatMap(({ id }) => shownStep(view.state, chosen, id) ?? []);
  const waiting = steps.filter((step) => step.status === "waiting");
  const isWork = waiting.length === 0 && ["running", "paused"].includes(view.state.status);
  const leading = isWork ? steps.filter((step) => step.status === "running" && step.loop === null) : waiting;
  return leading.map((step) => step.nodeId);
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
