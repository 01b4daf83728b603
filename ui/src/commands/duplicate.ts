// Copy the selected nodes and the wires between them, a little below and to the right.

import { useDocument } from "../document/document";
import { fragmentOf } from "../document/fragment";
import { putFragment } from "../document/paste";
import { withHidden } from "../drawn/folds";
import { GRID } from "../kernels/geometry";
import { plural } from "../runs/format";
import { canvasView, showAdded } from "../session/canvas-view";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

export const duplicateCommand: Command = {
  id: "edit.duplicate",
  label: "Duplicate",
  icon: "copy-plus",
  keys: ["mod+d"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 0,
  run: async () => {
    const fragment = fragmentOf(useDocument.getState().document, new Set(withHidden(targets())));
    const offset = { x: 2 * GRID, y: 2 * GRID };
    const ids = await putFragment(fragment, offset, `Duplicate ${plural(fragment.nodes.length, "node")}`);
    if (ids[0] === undefined) return;
    showAdded(ids);
    canvasView()?.focus(ids[0]);
  },
};
