// The activity of a wire in the shown run. It depends on only two fields of the run's state, so that
// streaming text does not redraw wires.
import type { RunState } from "../runs/fold/model";
import { isUnfinished, shownRun, useRuns } from "../runs/session/store";
import { type Choice, shownStep } from "../runs/view/view";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";

export type WireActivity = "" | "flow" | "rest";

export function wireActivity(
  run: RunState | null,
  choice: Choice,
  source: string,
  target: string,
): WireActivity {
  if (!run) return "";
  const from = shownStep(run, choice, source)?.status;
  const to = shownStep(run, choice, target)?.status;
  const open = run.status === "running" || run.status === "waiting";
  if (open && to === "running" && from !== undefined) return "flow";
  if (to === undefined || to === "skipped" || from === undefined || from === "skipped") return "rest";
  return "";
}

export function useWireActivity(source: string, target: string): WireActivity {
  const choice = useChosenIteration((s) => s.chosen);
  const editing = useSession((s) => s.layout === "edit");
  return useRuns((s) => {
    const view = shownRun(s);
    // While the workflow is edited, neither wires nor cards show a finished run.
    return editing && !isUnfinished(view) ? "" : wireActivity(view?.state ?? null, choice, source, target);
  });
}
