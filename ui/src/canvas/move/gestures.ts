// Click handlers of the canvas. Their identity never changes: a new handler would make xyflow render all
// nodes or wires again, and during a drag the canvas renders in every frame.
import type { EdgeChange, EdgeMouseHandler, NodeMouseHandler } from "@xyflow/react";
import { unfold } from "../../commands/fold";
import { editSettings, openSubflow } from "../../commands/node";
import { canEdit } from "../../commands/selection";
import { useDocument } from "../../document/document";
import { removeElements } from "../../document/edits";
import { useKinds } from "../../document/kinds";
import { groupOfNode } from "../../scene/folds";
import { meantBy } from "../../scene/hidden-nodes";
import { type MenuTarget, useCanvasPanels } from "../../session/canvas-panels";
import { useSession } from "../../session/session";
import type { GhostNode } from "../add/GhostCard";
import type { GhostEdge } from "../add/ghosts";
import { isSelectionDeferred } from "../detail";
import type { CanvasNode } from "../nodes";
import type { WireEdgeType } from "../wires/WireEdge";

type SceneNode = CanvasNode | GhostNode;
type SceneEdge = WireEdgeType | GhostEdge;

/**
 * The buttons that pan while the pointer selects: the middle and the right one. An unmoved right click opens
 * the menu.
 */
export const PAN_BUTTONS = [1, 2];

function openMenu(event: MouseEvent | React.MouseEvent, on: MenuTarget): void {
  event.preventDefault();
  useCanvasPanels.getState().openMenu({ x: event.clientX, y: event.clientY }, on);
}

/**
 * Selects only the clicked node. The press does not do this, since a press on one of several selected nodes
 * may start a drag of all of them.
 */
export const onNodeClick: NodeMouseHandler<SceneNode> = (event, { id, data }) => {
  if (!("node" in data) || event.shiftKey || event.ctrlKey || event.metaKey) return;
  const { selection, select } = useSession.getState();
  const meant = meantBy(id);
  const isSame = selection.nodes.size === meant.length && meant.every((one) => selection.nodes.has(one));
  if (!isSame || selection.edges.size > 0) select(meant);
};

/** Clears the whole selection, which may include folded nodes that xyflow does not know. */
export const onPaneClick = (): void => {
  const { selection, select } = useSession.getState();
  if (selection.nodes.size + selection.edges.size > 0) select([]);
};

export const onNodeContextMenu: NodeMouseHandler<SceneNode> = (event, { id, data }) => {
  if (!("node" in data)) return;
  const { selection, select } = useSession.getState();
  const meant = meantBy(id);
  if (!meant.every((one) => selection.nodes.has(one))) select(meant);
  const group = groupOfNode(id);
  openMenu(event, group === null ? { kind: "node", id } : { kind: "group", id: group });
};

export const onEdgeContextMenu: EdgeMouseHandler<SceneEdge> = (event, { id }) => {
  useSession.getState().select([], [id]);
  openMenu(event, { kind: "wire", id });
};

export const onPaneContextMenu = (event: MouseEvent | React.MouseEvent): void => {
  const several = useSession.getState().selection.nodes.size > 0;
  openMenu(event, several ? { kind: "node", id: "" } : { kind: "canvas" });
};

export function onEdgesChange(changes: EdgeChange<SceneEdge>[]): void {
  if (isSelectionDeferred()) return;
  const session = useSession.getState();
  const chosen = new Set(session.selection.edges);
  for (const change of changes) {
    if (change.type !== "select") continue;
    if (change.selected) chosen.add(change.id);
    else chosen.delete(change.id);
  }
  session.select(session.selection.nodes, chosen);
}

export const onEdgeDoubleClick: EdgeMouseHandler<SceneEdge> = (_, edge) =>
  useDocument.getState().edit(removeElements(new Set(), new Set([edge.id])), { label: "Remove wire" });

/**
 * Handles a double click: opens a subflow, unfolds a folded node, and focuses the settings of any other node.
 */
export const onNodeDoubleClick: NodeMouseHandler<SceneNode> = (event, { id, data, type: shownAs }) => {
  // A click on a control of the card acts on that control only.
  if (event.target instanceof Element && event.target.closest(".nodrag, .react-flow__handle")) return;
  if (!("node" in data)) return;
  const { type } = (data as CanvasNode["data"]).node;
  if (shownAs === "fold") unfold(id);
  else if (useKinds.getState().byType.get(type)?.shape === "subflow") void openSubflow(id);
  else if (canEdit() && useSession.getState().layout === "edit") editSettings(id);
};
