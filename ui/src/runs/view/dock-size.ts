// The size of the dock below a run. For a workflow without a loop, only the dock's header is shown until
// someone opens it.
import { useAnalysis } from "../../document/analysis";
import { useSession } from "../../session/session";

/** The height of the dock's header with its border, in pixels. */
export const DOCK_LINE = 39;

/** Returns whether the dock shows only its header. */
export function isDockCollapsed(): boolean {
  return useSession.getState().dockCollapsed ?? useAnalysis.getState().whole.regions.length === 0;
}

export function useIsDockCollapsed(): boolean {
  const chosen = useSession((s) => s.dockCollapsed);
  const hasNoLoop = useAnalysis((s) => s.whole.regions.length === 0);
  return chosen ?? hasNoLoop;
}

/** Reduces the dock to its header if a run is shown, or hides it in the editor. */
export function collapseDock(): void {
  const { layout, patch } = useSession.getState();
  patch(layout === "run" ? { dockCollapsed: true } : { dockOpen: false });
}
