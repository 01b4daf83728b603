// Renames a node: its title, and its id with all references.

import type { Group } from "../document/groups";
import { useCanvasPanels } from "../session/canvas-panels";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { targetGroup, titleGroupOnCanvas } from "./group";
import { canEdit, target, targets } from "./selection";

/** Returns the collapsed group that represents all nodes of the command; null if there is none. */
function foldedGroup(): Group | null {
  const group = targetGroup();
  return group?.collapsed && targets().every((id) => group.nodes.includes(id)) ? group : null;
}

export const renameCommand: Command = {
  id: "node.rename",
  label: "Rename…",
  icon: "pencil",
  keys: ["f2"],
  scope: "canvas",
  possible: () => canEdit() && (target() !== null || foldedGroup() !== null),
  run: () => {
    const id = target();
    const group = foldedGroup();
    if (group !== null) {
      titleGroupOnCanvas(group);
      return;
    }
    if (id === null) return;
    useSession.getState().select([id]);
    useCanvasPanels.getState().rename(id);
  },
};
