// Maps the document's nodes to xyflow's nodes and reuses every unchanged one. A card re-renders only when its
// own node, position or selection changes.
import type { Node } from "@xyflow/react";
import type { FlowNode } from "../ipc/generated/bindings";

/** A node as xyflow knows it: the card of one node, or a fold that is drawn for several. */
export type CanvasNode = Node<{ node: FlowNode }, "card" | "fold">;

/** The size and socket positions reported to xyflow for an unseen card, so that it need not be mounted. */
export type Unseen = Required<Pick<CanvasNode, "measured" | "handles">>;

/** Estimates the size and sockets of a node's card; null if there is no estimate. */
export type Tell = (node: FlowNode) => Unseen | null;

/** Returns whether the card has only an estimate, because it was never mounted. */
export const isUnseen = ({ handles }: CanvasNode): boolean => handles !== undefined;

/** Returns a measured card without its estimate, since its sockets are known. */
export const seen = (card: CanvasNode): CanvasNode =>
  isUnseen(card) ? { ...card, handles: undefined } : card;

/** Returns a card that xyflow must mount and measure, wherever it is. */
export const toBeMeasured = (card: CanvasNode): CanvasNode =>
  isUnseen(card) ? { ...card, handles: undefined, measured: undefined } : card;

/** Returns an unseen card with its new estimate, or the same object if the estimate is unchanged. */
function stillUnseen(before: CanvasNode, now: Unseen): CanvasNode {
  const same =
    before.measured?.height === now.measured.height &&
    before.handles?.length === now.handles.length &&
    before.handles.every((handle, i) => handle.id === now.handles[i]?.id && handle.y === now.handles[i]?.y);
  return same ? before : { ...before, ...now };
}

const samePlace = (a: FlowNode, b: FlowNode): boolean =>
  a.position === b.position ||
  (isSameStandIn(a, b) && a.position.x === b.position.x && a.position.y === b.position.y);

/**
 * Returns whether two nodes that represent a group have the same content. Such a node is created again each
 * time, so its identity says nothing.
 */
const isSameStandIn = (a: FlowNode, b: FlowNode): boolean =>
  a.type === "" &&
  b.type === "" &&
  a.id === b.id &&
  a.data.label === b.data.label &&
  a.position.x === b.position.x &&
  a.position.y === b.position.y;

/**
 * Returns xyflow's nodes for the nodes of the document. `tell` estimates unseen cards; null if every card is
 * to be measured. If no card changed, the same list is returned, since a new list after every analysis would
 * make xyflow visit all nodes.
 */
export function reconcileNodes(
  cards: CanvasNode[],
  nodes: readonly FlowNode[],
  selected: ReadonlySet<string>,
  folds: ReadonlySet<string> = new Set(),
  tell: Tell | null = null,
): CanvasNode[] {
  const before = new Map(cards.map((node) => [node.id, node]));
  const after = nodes.map((node): CanvasNode => {
    const known = before.get(node.id);
    const isSelected = selected.has(node.id);
    const type = folds.has(node.id) ? "fold" : "card";
    const told = tell && type === "card" && (known === undefined || isUnseen(known)) ? tell(node) : null;
    // A card without an estimate, such as a folded loop, must be measured.
    const was = known && !told ? toBeMeasured(known) : known;
    const same = was?.data.node === node || (was !== undefined && isSameStandIn(was.data.node, node));
    if (was && same && was.type === type && (was.selected ?? false) === isSelected)
      return told ? stillUnseen(was, told) : was;
    return {
      ...was,
      id: node.id,
      type,
      position: was && samePlace(was.data.node, node) ? was.position : node.position,
      selected: isSelected,
      data: was?.data.node === node ? was.data : { node },
      domAttributes: { "aria-labelledby": `node-label-${node.id}` } as CanvasNode["domAttributes"],
      ...told,
    };
  });
  return after.length === cards.length && after.every((card, i) => card === cards[i]) ? cards : after;
}
