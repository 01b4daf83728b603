// Fold a loop, or a group, into one node, and unfold it. A loop's folding is only how it is looked at; a group's is in the file.

import { useAnalysis } from "../document/analysis";
import { groupNodeId, groupOfNode } from "../scene/folds";
import { loopFoldKey } from "../scene/hidden-nodes";
import { canvasView } from "../session/canvas-view";
import { useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { setFolded, targetGroup } from "./group";
import { inEditor, target } from "./selection";

/** The loop or list that a node opens or closes, else the innermost around it. */
function loopAt(id: string | null): string | null {
  if (id === null) return null;
  const { regions } = useAnalysis.getState().analysis;
  const own = regions.find((region) => region.start === id || region.end === id);
  const around = regions.filter((region) => region.body.includes(id)).sort((a, b) => b.depth - a.depth);
  return (own ?? around[0])?.start ?? null;
}

/** Unfolds what a drawn node stands for. */
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
      // The card that had the focus is gone, and what it stood for has come.
      canvasView()?.focus(group.collapsed ? first : groupNodeId(group.id));
      return;
    }
    if (loop === null) return;
    useFoldedLoops.getState().toggle(loopFoldKey(loop));
    useSession.getState().select([loop]);
    canvasView()?.focus(loop);
  },
};
