// Rename the node: its title, and its id with all that refers to it.

import { useCanvasPanels } from "../session/canvas-panels";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canEdit, target } from "./selection";

export const renameCommand: Command = {
  id: "node.rename",
  label: "Rename…",
  icon: "pencil",
  keys: ["f2"],
  scope: "canvas",
  possible: () => canEdit() && target() !== null,
  run: () => {
    const id = target();
    if (id === null) return;
    useSession.getState().select([id]);
    useCanvasPanels.getState().rename(id);
  },
};
