// How much of the dock is shown beside a run: of a workflow without a loop its header alone, until somebody opens it.
import { useAnalysis } from "../../document/analysis";
import { useSession } from "../../session/session";

/** The height of the dock's header with its border, in pixels. */
export const DOCK_LINE = 39;

/** Whether the dock shows its header alone. */
export function isDockCollapsed(): boolean {
  return useSession.getState().dockCollapsed ?? useAnalysis.getState().whole.regions.length === 0;
}

export function useIsDockCollapsed(): boolean {
  const chosen = useSession((s) => s.dockCollapsed);
  const hasNoLoop = useAnalysis((s) => s.whole.regions.length === 0);
  return chosen ?? hasNoLoop;
}

/** Shows the dock's header alone beside a run; while a workflow is edited, nothing of the dock. */
export function collapseDock(): void {
  const { layout, patch } = useSession.getState();
  patch(layout === "run" ? { dockCollapsed: true } : { dockOpen: false });
}
