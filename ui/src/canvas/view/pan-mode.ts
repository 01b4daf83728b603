// Panning: with the hand tool, or with any tool while Space is held, a drag moves the view wherever it begins.
import { useKeyPress } from "@xyflow/react";
import { useSession } from "../../session/session";
import { PAN_BUTTONS } from "../move/gestures";

export const PAN_KEY = "Space";

/** xyflow starts no pan on an element with this class: nodes that can be dragged, sockets, frames of groups. */
const NO_PAN = "nopan";
/** A name that no element has. */
const NONE = "pans-everywhere";

/** Props of `<ReactFlow>` that decide what a drag does. `readOnly`: the document cannot be edited. */
export function dragProps(isPanning: boolean, readOnly: boolean) {
  const canEdit = !readOnly && !isPanning;
  return {
    nodesDraggable: canEdit,
    nodesConnectable: canEdit,
    panOnDrag: isPanning ? true : PAN_BUTTONS,
    selectionOnDrag: !isPanning,
    noPanClassName: isPanning ? NONE : NO_PAN,
  };
}

/** Whether a drag pans now. */
export function useIsPanning(): boolean {
  const isHand = useSession((s) => s.tool === "pan");
  const isHeld = useKeyPress(PAN_KEY);
  return isHand || isHeld;
}
