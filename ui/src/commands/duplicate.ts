// Copies the selected nodes and the wires between them. The copies are placed nearby, where they cover
// nothing.

import { useDocument } from "../document/document";
import { fragmentOf } from "../document/fragment";
import { putFragment } from "../document/paste";
import { boundsOf, GRID, type Point } from "../kernels/geometry";
import { freePlace } from "../kernels/placement";
import { plural } from "../runs/words/format";
import { withHidden } from "../scene/hidden-nodes";
import { canvasView, showAdded } from "../session/canvas-view";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

/**
 * Returns the offset to the nearest place, below and to the right, where copies of the nodes cover no card.
 */
function freeOffset(ids: readonly string[]): Point {
  const boxes = canvasView()?.boxes() ?? new Map();
  const all = boundsOf(ids.flatMap((id) => boxes.get(id) ?? []));
  if (!all) return { x: 2 * GRID, y: 2 * GRID };
  const size = { width: all.right - all.left, height: all.bottom - all.top };
  const at = freePlace({ x: all.left + 2 * GRID, y: all.top + 2 * GRID }, size, [...boxes.values()]);
  return { x: at.x - all.left, y: at.y - all.top };
}

/** Copies nodes and the wires between them. `offset` is the distance of the copies, in flow pixels. */
export async function copyBy(ids: readonly string[], offset: Point, label: string): Promise<void> {
  const fragment = fragmentOf(useDocument.getState().document, new Set(withHidden(ids)));
  const copies = await putFragment(fragment, offset, label);
  if (copies[0] === undefined) return;
  showAdded(copies);
  canvasView()?.focus(copies[0]);
}

export const duplicateCommand: Command = {
  id: "edit.duplicate",
  label: "Duplicate",
  icon: "copy-plus",
  keys: ["mod+d"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 0,
  run: () => {
    const ids = targets();
    return copyBy(ids, freeOffset(ids), `Duplicate ${plural(withHidden(ids).length, "node")}`);
  },
};
