// From the document's nodes to xyflow's, sharing every one that did not change: a card is drawn again only when
// its own node, its place or its selection changed.
import type { Node } from "@xyflow/react";
import type { FlowNode } from "../ipc/generated/bindings";

/** A card, or one node that is drawn for several. */
export type CanvasNode = Node<{ node: FlowNode }, "card" | "fold">;

const samePlace = (a: FlowNode, b: FlowNode): boolean =>
  a.position === b.position ||
  (isSameStandIn(a, b) && a.position.x === b.position.x && a.position.y === b.position.y);

/** What stands for a group is made again each time. */
const isSameStandIn = (a: FlowNode, b: FlowNode): boolean =>
  a.type === "" &&
  b.type === "" &&
  a.id === b.id &&
  a.data.label === b.data.label &&
  a.position.x === b.position.x &&
  a.position.y === b.position.y;

export function reconcileNodes(
  cards: readonly CanvasNode[],
  nodes: readonly FlowNode[],
  selected: ReadonlySet<string>,
  folds: ReadonlySet<string> = new Set(),
): CanvasNode[] {
  const before = new Map(cards.map((node) => [node.id, node]));
  return nodes.map((node) => {
    const was = before.get(node.id);
    const isSelected = selected.has(node.id);
    const type = folds.has(node.id) ? "fold" : "card";
    const same = was?.data.node === node || (was !== undefined && isSameStandIn(was.data.node, node));
    if (was && same && was.type === type && (was.selected ?? false) === isSelected) return was;
    return {
      ...was,
      id: node.id,
      type,
      position: was && samePlace(was.data.node, node) ? was.position : node.position,
      selected: isSelected,
      data: was?.data.node === node ? was.data : { node },
      domAttributes: { "aria-labelledby": `node-label-${node.id}` } as CanvasNode["domAttributes"],
    };
  });
}
