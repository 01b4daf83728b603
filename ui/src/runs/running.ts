// Which nodes run at this moment, as the chosen iterations show it.
import { useShallow } from "zustand/react/shallow";
import { useChosenIteration } from "../session/chosen-iteration";
import { runHere } from "./level";
import { useRuns } from "./store";
import { shownStep } from "./view";

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
