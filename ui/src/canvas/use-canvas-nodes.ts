// The nodes and wires for xyflow, and the changes it reports. During a move only xyflow knows the positions;
// at the end they are written to the document as one undo entry.
import { applyNodeChanges, type NodeChange, type NodePositionChange, useStoreApi } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { useDocument } from "../document/document";
import type { DocumentEdit } from "../document/document-edit";
import { combineEdits, moveNodes } from "../document/edits";
import { joinGroups } from "../document/groups";
import type { FlowNode } from "../ipc/generated/bindings";
import type { Box, Point } from "../kernels/geometry";
import { titleOf } from "../kernels/node-title";
import { groupOfNode, type SceneFold, standIn } from "../scene/folds";
import { withFolded, withHidden } from "../scene/hidden-nodes";
import { useScene } from "../scene/scene";
import { endsOf, type Wire } from "../scene/wires";
import { canvasView } from "../session/canvas-view";
import { beginGesture, endGesture, isCancelled, releaseButton } from "../session/gesture";
import { useSession } from "../session/session";
import type { GhostNode } from "./add/GhostCard";
import { beginDeferredDrag, deferDrag, endDeferredDrag, isSelectionDeferred, tellOf } from "./detail";
import { copyInstead, useCopyDrag } from "./move/copy-drag";
import { alongGuides, endGuides } from "./move/guides";
import { type CanvasNode, reconcileNodes, seen } from "./nodes";
import type { WireEdgeType } from "./wires/WireEdge";

/** Returns the nodes to draw: without hidden nodes, and with the nodes that represent groups. */
function shownNodes(
  nodes: readonly FlowNode[],
  selected: ReadonlySet<string>,
  folds: readonly SceneFold[],
  hiddenBy: ReadonlyMap<string, string>,
) {
  const ids: ReadonlySet<string> = new Set(folds.map((fold) => fold.id));
  if (folds.length === 0) return { nodes, selected, folds: ids };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = folds.filter((fold) => fold.group !== null && fold.hidden.some((id) => byId.has(id)));
  // A group counts as selected if one of its nodes is, so that the selection is visible and can be cleared.
  const chosen = groups.filter((fold) => fold.hidden.some((id) => selected.has(id))).map((fold) => fold.id);
  return {
    nodes: [...nodes.filter((node) => !hiddenBy.has(node.id)), ...groups.map((fold) => standIn(fold, byId))],
    selected: chosen.length > 0 ? new Set([...selected, ...chosen]) : selected,
    folds: ids,
  };
}

const isMove = (change: NodeChange<CanvasNode>): change is NodePositionChange =>
  change.type === "position" && change.position !== undefined;

/** Aligns nodes dragged by hand with other cards. */
function guided(changes: NodeChange<CanvasNode>[], dragging: boolean): NodeChange<CanvasNode>[] {
  if (!dragging) return changes;
  const moves = changes.filter(isMove);
  if (moves.length === 0) return changes;
  const moved = alongGuides(moves, canvasView()?.zoom() ?? 1);
  return [...changes.filter((change) => !isMove(change)), ...moved];
}

function applyChanges(changes: NodeChange<CanvasNode>[], before: CanvasNode[]): CanvasNode[] {
  const measured = new Set(changes.flatMap((change) => (change.type === "dimensions" ? [change.id] : [])));
  const cards = applyNodeChanges(changes, before);
  return measured.size === 0 ? cards : cards.map((card) => (measured.has(card.id) ? seen(card) : card));
}

/** Returns an edit that adds dropped nodes to the group whose frame they were dropped in. */
function dropped(places: ReadonlyMap<string, Point>): DocumentEdit {
  const boxes = canvasView()?.boxes() ?? new Map<string, Box>();
  const at = [...places].flatMap(([id, { x, y }]): [string, Box][] => {
    const box = boxes.get(id);
    if (!box) return [];
    return [[id, { left: x, top: y, right: x + box.right - box.left, bottom: y + box.bottom - box.top }]];
  });
  return joinGroups(new Map(at), boxes);
}

/** Returns the cards at the positions that the document has for them. */
const putBack = (cards: CanvasNode[]): CanvasNode[] =>
  cards.map((card) => {
    const { x, y } = card.data.node.position;
    return card.position.x === x && card.position.y === y ? card : { ...card, position: { x, y } };
  });

export function useCanvasNodes() {
  useCopyDrag();
  const nodes = useDocument((s) => s.document.nodes);
  const selected = useSession((s) => s.selection.nodes);
  const folds = useScene((s) => s.folds);
  const hiddenBy = useScene((s) => s.hiddenBy);
  // The sockets of an unseen card depend on which of them have wires.
  const connected = useScene((s) => s.connected);
  const [cards, setCards] = useState<CanvasNode[]>(() =>
    reconcileNodes([], nodes, selected, undefined, tellOf(nodes.length, connected)),
  );
  const store = useStoreApi();
  useEffect(() => {
    const shown = shownNodes(nodes, selected, folds, hiddenBy);
    const tell = tellOf(shown.nodes.length, connected);
    setCards((before) => reconcileNodes(before, shown.nodes, shown.selected, shown.folds, tell));
  }, [nodes, selected, folds, hiddenBy, connected]);

  const onNodesChange = useCallback(
    (reported: NodeChange<CanvasNode | GhostNode>[]) => {
      // Reported sizes of ghosts are ignored, since ghosts are drawn from the fix under the pointer.
      const session = useSession.getState();
      const changes = guided(reported as NodeChange<CanvasNode>[], session.dragging);
      const selection = isSelectionDeferred() ? [] : changes.filter((change) => change.type === "select");
      if (selection.length > 0) {
        const chosen = new Set(session.selection.nodes);
        for (const change of selection) {
          // A collapsed group is selected through its nodes.
          for (const id of groupOfNode(change.id) === null ? [change.id] : withHidden([change.id])) {
            if (change.selected) chosen.add(id);
            else chosen.delete(id);
          }
          chosen.delete(groupOfNode(change.id) === null ? "" : change.id);
        }
        session.select(chosen, session.selection.edges);
      }
      const rest = changes.filter((change) => change.type !== "select" && change.type !== "remove");
      const apply = () => setCards((before) => applyChanges(rest, before));
      const isDeferred = () =>
        session.dragging && rest.every(isMove) && deferDrag(store.getState(), rest, apply);
      if (rest.length > 0 && !isDeferred()) apply();
      const settled = new Map(
        changes.flatMap((change) =>
          change.type === "position" && change.position && change.dragging === false
            ? [[change.id, change.position] as const]
            : [],
        ),
      );
      if (settled.size > 0 && !isCancelled()) {
        const label = settled.size === 1 ? "Move node" : `Move ${settled.size} nodes`;
        const places = withFolded(settled);
        const { edit } = useDocument.getState();
        // Consecutive nudges by key are one undo entry. Each drag is its own entry and drops the nodes it
        // moved.
        if (session.dragging && copyInstead(places)) requestAnimationFrame(() => setCards(putBack));
        else if (!session.dragging) edit(moveNodes(places), { label, mark: "nudge" });
        else edit(combineEdits(moveNodes(places), dropped(places)), { label });
      }
    },
    [store],
  );
  const onDrag = useMemo(
    () => ({
      start: () => {
        useSession.getState().patch({ dragging: true });
        beginDeferredDrag();
        beginGesture(releaseButton);
      },
      stop: () => {
        useSession.getState().patch({ dragging: false });
        endDeferredDrag();
        endGuides();
        endGesture();
        // This runs after the last move. Each card is drawn once where the drag left it, and then at its
        // position in the document.
        if (isCancelled()) requestAnimationFrame(() => setCards(putBack));
      },
    }),
    [],
  );
  // If the canvas unmounts during a drag, no end event arrives.
  useEffect(
    () => () => {
      useSession.getState().patch({ dragging: false });
      endDeferredDrag();
      endGesture();
    },
    [],
  );
  return { cards, onNodesChange, onDrag };
}

/** The z-index of selected wires. xyflow raises a selected node by 1000. */
const ABOVE_CARDS = 2000;

/** Returns the ARIA role, label and role description of a wire. Its lines are hidden from screen readers. */
export const wireLabel = (wire: Wire, titles: Readonly<Record<string, string>>) => {
  const { source, target } = wire.edge;
  const ends = `from ${titles[source] ?? source} to ${titles[target] ?? target}`;
  return {
    ariaRole: "button" as const,
    ariaLabel: `${wire.loop === null ? "Wire" : "Feedback wire"} ${ends}`,
    domAttributes: { "aria-roledescription": "wire" },
  };
};

export function useCanvasEdges(): WireEdgeType[] {
  const wires = useScene((s) => s.wires);
  const titles = useDocument(
    useShallow((s) => Object.fromEntries(s.document.nodes.map((node) => [node.id, titleOf(node)]))),
  );
  const selected = useSession((s) => s.selection.edges);
  return useMemo(
    () =>
      wires.map((wire) => ({
        id: wire.edge.id,
        type: "wire",
        ...endsOf(wire),
        ...wireLabel(wire, titles),
        selected: selected.has(wire.edge.id),
        // A selected wire is above the cards, so that its ends can be grabbed at the sockets.
        zIndex: selected.has(wire.edge.id) ? ABOVE_CARDS : undefined,
        data: { wire },
      })),
    [wires, selected, titles],
  );
}
