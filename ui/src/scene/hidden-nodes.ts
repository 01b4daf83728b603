// Maps drawn nodes to the document's nodes. A folded node represents the nodes that it hides: an action on the
// folded node applies to all of them.
import { breadcrumbPath, useDocument } from "../document/document";
import type { Point } from "../kernels/geometry";
import { foldKey, useFoldedLoops } from "../session/folds";
import { groupOfNode, standIn } from "./folds";
import { useScene } from "./scene";

/**
 * Returns the new positions of the document's nodes after drawn nodes were moved. Nodes hidden inside a moved
 * node move by the same distance.
 */
export function withFolded(places: ReadonlyMap<string, Point>): Map<string, Point> {
  const { document } = useDocument.getState();
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const moved = new Map<string, Point>();
  for (const [id, to] of places) {
    if (nodes.has(id)) moved.set(id, to);
    const fold = useScene.getState().folds.find((one) => one.id === id);
    if (!fold) continue;
    const from = nodes.get(id)?.position ?? standIn(fold, nodes).position;
    for (const hidden of fold.hidden) {
      const at = nodes.get(hidden)?.position;
      if (at) moved.set(hidden, { x: at.x + to.x - from.x, y: at.y + to.y - from.y });
    }
  }
  return moved;
}

/** Returns the ids of these nodes and of the nodes hidden inside those that are folded. */
export function withHidden(ids: readonly string[]): string[] {
  const { folds } = useScene.getState();
  return [...new Set(ids.flatMap((id) => [id, ...(folds.find((fold) => fold.id === id)?.hidden ?? [])]))];
}

/** The maximum nesting depth of folds that `unfoldAround` opens. */
const MAX_FOLD_DEPTH = 16;

/** Returns the document's nodes for a drawn node: the node itself, or all nodes of a collapsed group. */
export const meantBy = (id: string): readonly string[] =>
  groupOfNode(id) === null ? [id] : withHidden([id]).filter((one) => one !== id);

/**
 * Unfolds the loops that hide these nodes. Groups stay collapsed, since that is stored in the file. Returns
 * the ids of the nodes that are then drawn for these nodes.
 */
export function unfoldAround(ids: readonly string[]): string[] {
  const visibleIds = () => ids.map((id) => useScene.getState().hiddenBy.get(id) ?? id);
  for (let depth = 0; depth < MAX_FOLD_DEPTH; depth++) {
    const loops = new Set(visibleIds().filter((id, i) => id !== ids[i] && groupOfNode(id) === null));
    if (loops.size === 0) break;
    for (const start of loops) useFoldedLoops.getState().toggle(loopFoldKey(start));
  }
  return [...new Set(visibleIds())];
}

/** Returns the fold key of a loop in the shown flow. */
export const loopFoldKey = (start: string): string => foldKey(breadcrumbPath(useDocument.getState()), start);
