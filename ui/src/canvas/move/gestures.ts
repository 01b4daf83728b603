// What clicks on the canvas do. They are the same functions in every drawing of the canvas: xyflow draws all its nodes or
// wires again when one of these is another than before, and while something is dragged the canvas is drawn in every frame.
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

/** The middle and the right button move the view while the pointer selects; the right one, unmoved, opens the menu. */
export const PAN_BUTTONS = [1, 2];

function openMenu(event: MouseEvent | React.MouseEvent, on: MenuTarget): void {
  event.preventDefault();
  useCanvasPanels.getState().openMenu({ x: event.clientX, y: event.clientY }, on);
}

/** A press on one of several that are chosen is the beginning of a drag; where it was none, that one alone is meant. */
export const onNodeClick: NodeMouseHandler<SceneNode> = (event, { id, data }) => {
  if (!("node" in data) || event.shiftKey || event.ctrlKey || event.metaKey) return;
  const { selection, select } = useSession.getState();
  const meant = meantBy(id);
  const isSame = selection.nodes.size === meant.length && meant.every((one) => selection.nodes.has(one));
  if (!isSame || selection.edges.size > 0) select(meant);
};

/** Also what is folded away, of which xyflow does not know. */
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

/** Goes into it: a subflow is opened, what is folded unfolds, of anything else the settings have the focus. */
export const onNodeDoubleClick: NodeMouseHandler<SceneNode> = (event, { id, data, type: shownAs }) => {
  // A click on something to be changed on the card is not meant for the card.
  if (event.target instanceof Element && event.target.closest(".nodrag, .react-flow__handle")) return;
  if (!("node" in data)) return;
  const { type } = (data as CanvasNode["data"]).node;
  if (shownAs === "fold") unfold(id);
  else if (useKinds.getState().byType.get(type)?.shape === "subflow") void openSubflow(id);
  else if (canEdit() && useSession.getState().layout === "edit") editSettings(id);
};
