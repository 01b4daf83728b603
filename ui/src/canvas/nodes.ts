// From the document's nodes to xyflow's, sharing every one that did not change: a card is drawn again only when
// its own node, its place or its selection changed.
import type { Node } from "@xyflow/react";
import type { FlowNode } from "../ipc/generated/bindings";

/** A card, or one node that is drawn for several. */
export type CanvasNode = Node<{ node: FlowNode }, "card" | "fold">;

/** What xyflow is told of a card that nobody has seen, so that it need not mount it: about its size, and where its sockets are. */
export type Unseen = Required<Pick<CanvasNode, "measured" | "handles">>;

/** Null for a node of which nothing is told. */
export type Tell = (node: FlowNode) => Unseen | null;

/** Whether nobody has seen the card yet. */
export const isUnseen = ({ handles }: CanvasNode): boolean => handles !== undefined;

/** A card whose size xyflow has measured: its sockets are known as well. */
export const seen = (card: CanvasNode): CanvasNode =>
  isUnseen(card) ? { ...card, handles: undefined } : card;

/** A card that xyflow is to mount and measure, wherever it is. */
export const toBeMeasured = (card: CanvasNode): CanvasNode =>
  isUnseen(card) ? { ...card, handles: undefined, measured: undefined } : card;

/** An unseen card as it is told now: the same object where that is what it was told before. */
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

/** What stands for a group is made again each time. */
const isSameStandIn = (a: FlowNode, b: FlowNode): boolean =>
  a.type === "" &&
  b.type === "" &&
  a.id === b.id &&
  a.data.label === b.data.label &&
  a.position.x === b.position.x &&
  a.position.y === b.position.y;

/**
 * `tell` says what cards measure that nobody has seen; null where each is drawn and measured. Where no card changed, the list is the same
 * too: otherwise every answer of the analysis would have xyflow go through all nodes.
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
    // What nothing is told of any more, such as a loop that was folded, is measured.
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
