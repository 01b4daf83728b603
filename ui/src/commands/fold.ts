// Folds a loop or group into one node, and unfolds it. A folded loop only affects the view; a collapsed group
// is stored in the file.

import { useAnalysis } from "../document/analysis";
import { groupNodeId, groupOfNode } from "../scene/folds";
import { loopFoldKey } from "../scene/hidden-nodes";
import { canvasView } from "../session/canvas-view";
import { useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { setFolded, targetGroup } from "./group";
import { inEditor, target } from "./selection";

/**
 * Returns the id of the loop or list that a node opens or closes, otherwise of the innermost one around the
 * node; null if there is none.
 */
function loopAt(id: string | null): string | null {
  if (id === null) return null;
  const { regions } = useAnalysis.getState().analysis;
  const own = regions.find((region) => region.start === id || region.end === id);
  const around = regions.filter((region) => region.body.includes(id)).sort((a, b) => b.depth - a.depth);
  return (own ?? around[0])?.start ?? null;
}

/** Unfolds the nodes that a drawn node represents. */
export function unfold(id: string): void {
  const group = groupOfNode(id);
  if (group !== null) setFolded(group, false);
  else useFoldedLoops.getState().toggle(loopFoldKey(id));
}

export const foldCommand: Command = {
  id: "canvas.fold",
  label: "Fold into one node, or unfold",
  icon: "fold-vertical",
  keys: ["f"],
  scope: "canvas",
  possible: () => inEditor() && (loopAt(target()) !== null || targetGroup() !== undefined),
  run: () => {
    const group = targetGroup();
    const loop = loopAt(target());
    if (group && (group.collapsed || loop === null)) {
      const [first = null] = group.nodes;
      setFolded(group.id, !group.collapsed);
      // The focused card is gone, so the card that replaces it gets the focus.
      canvasView()?.focus(group.collapsed ? first : groupNodeId(group.id));
      return;
    }
    if (loop === null) return;
    useFoldedLoops.getState().toggle(loopFoldKey(loop));
    useSession.getState().select([loop]);
    canvasView()?.focus(loop);
  },
};
