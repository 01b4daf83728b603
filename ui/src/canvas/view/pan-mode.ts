// Panning with the hand tool, or with any tool while Space is pressed. A drag then moves the view wherever it
// starts.
import { useKeyPress } from "@xyflow/react";
import { useSession } from "../../session/session";
import { PAN_BUTTONS } from "../move/gestures";

export const PAN_KEY = "Space";

/** The class of elements on which xyflow starts no pan: draggable nodes, sockets, group frames. */
const NO_PAN = "nopan";
/** A class that no element has, so that a drag on any element pans. */
const NONE = "pans-everywhere";

/** Returns the props of `<ReactFlow>` for drags. `readOnly` means the document cannot be edited. */
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

/** Returns whether a drag currently pans the view. */
export function useIsPanning(): boolean {
  const isHand = useSession((s) => s.tool === "pan");
  const isHeld = useKeyPress(PAN_KEY);
  return isHand || isHeld;
}
