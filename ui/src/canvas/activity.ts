// Whether something travels along a wire in the run that is shown. Reads two words of the run's state, so that a
// streaming text does not redraw wires.
import type { RunState } from "../runs/model";
import { shownRun, useRuns } from "../runs/store";
import { type Choice, shownStep } from "../runs/view";
import { useChosenIteration } from "../session/chosen-iteration";

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
  return useRuns((s) => wireActivity(shownRun(s)?.state ?? null, choice, source, target));
}
