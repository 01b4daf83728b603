// Escape performs the first of these actions that applies: cancel a drag, close what is open, return to the
// canvas, clear the selection, leave the subflow.
import { leaveSubflow } from "../document/files";
import { useCanvasPanels } from "../session/canvas-panels";
import { canvasView } from "../session/canvas-view";
import { useConnecting } from "../session/connecting";
import { cancelGesture } from "../session/gesture";
import { useSession } from "../session/session";
import { closeApproval, useApprovalSheet } from "../trust/approval-sheet";
import type { Command } from "./command";
import { hasSelection, inEditor } from "./selection";

/** Returns whether the focus is in a field or a panel outside the canvas. */
const isElsewhere = (): boolean => {
  const focused = document.activeElement;
  return focused !== null && focused !== document.body && focused.closest('[data-region="canvas"]') === null;
};

function backToCanvas(): void {
  const [only = null, ...more] = useSession.getState().selection.nodes;
  canvasView()?.focus(more.length === 0 ? only : null);
}

export const backOutCommand: Command = {
  id: "edit.backOut",
  label: "Back out",
  keys: ["escape"],
  scope: "window",
  possible: () => inEditor() && document.querySelector("dialog[open]") === null,
  run: () => {
    const panels = useCanvasPanels.getState();
    if (cancelGesture()) return;
    if (useConnecting.getState().quickAdd) useConnecting.getState().closeQuickAdd();
    else if (panels.menu) panels.closeMenu();
    // Escape closes the question of a run wherever the focus is, since the question is next to the canvas.
    else if (useApprovalSheet.getState().open !== null) closeApproval();
    else if (isElsewhere()) backToCanvas();
    else if (panels.open) panels.show(null);
    else if (hasSelection()) useSession.getState().select([]);
    else void leaveSubflow();
  },
};
