// Draws a wire by hand, or drags the end of an existing one to another socket. Marks the compatible sockets
// and handles the drop.
import type { Connection, FinalConnectionState, HandleType, OnConnectStartParams } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import { addDropLine } from "../../components/code/drop-line";
import { dropName } from "../../components/code/open";
import { newEdge } from "../../document/build";
import { useDocument } from "../../document/document";
import { removeElements, sameEnds } from "../../document/edits";
import { realHandle } from "../../kernels/folds";
import type { Point } from "../../kernels/geometry";
import { outputName } from "../../kernels/reference";
import { handlesNow } from "../../scene/scene";
import { useConnecting, type WireEnd } from "../../session/connecting";
import { beginGesture, endGesture, isCancelled, releaseButton } from "../../session/gesture";
import { useSession } from "../../session/session";
import { preventTextSelection } from "../../session/text-selection";
import { connectionError } from "../view/fit";
import { putWire } from "./put-wire";

/** The distance in pixels up to which a press and release count as a click on the socket. */
const CLICK = 24;

/**
 * Returns the wire end at a socket; null if the node has no such socket. A socket of a folded card represents
 * a socket of an inner node.
 */
function endOf(visibleNode: string, socket: string | null, type: HandleType): WireEnd | null {
  const { node, handle } = realHandle(visibleNode, socket ?? "");
  const handles = handlesNow(node);
  const output = type === "source";
  const info = (output ? handles.outputs : handles.inputs).find((h) => h.name === handle);
  return info ? { node, handle: info, output } : null;
}

const pointOf = (event: MouseEvent | TouchEvent): Point => {
  const at = "changedTouches" in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event;
  return { x: at.clientX, y: at.clientY };
};

type Ends = Pick<Connection, "source" | "target"> & {
  sourceHandle?: string | null;
  targetHandle?: string | null;
};

function realEnds(connection: Connection): Connection {
  const from = realHandle(connection.source, connection.sourceHandle ?? "");
  const to = realHandle(connection.target, connection.targetHandle ?? "");
  return { source: from.node, sourceHandle: from.handle, target: to.node, targetHandle: to.handle };
}

const STAYS = "The wire was not moved.";

/** Returns whether a point of the window is on the canvas and not on a panel. */
const isOnCanvas = ({ x, y }: Point): boolean =>
  document.elementFromPoint(x, y)?.closest('[data-region="canvas"] .react-flow') != null;

/**
 * Marks the place in a text field where a drop would insert the value's name, until the returned function is
 * called.
 */
function showDrops(): () => void {
  const line = addDropLine();
  const move = (event: PointerEvent) => void line.show(event.clientX, event.clientY);
  window.addEventListener("pointermove", move, true);
  return () => {
    window.removeEventListener("pointermove", move, true);
    line.remove();
  };
}

/** Removes a wire whose end was dropped on the empty canvas. */
function pullOff(id: string): void {
  const { document, edit, undo } = useDocument.getState();
  if (!document.edges.some((edge) => edge.id === id)) return;
  edit(removeElements(new Set(), new Set([id])), { label: "Delete wire" });
  useSession.getState().toast({
    title: "Deleted the wire.",
    actions: [{ label: "Undo", run: () => void undo() }],
  });
}

export function useWireDrawing() {
  /** The id of the existing wire whose end is being moved; null while a new wire is drawn. */
  const reconnecting = useRef<string | null>(null);
  const lastFrom = useRef<Point>({ x: 0, y: 0 });
  const allowSelection = useRef<(() => void) | null>(null);
  const hideDrops = useRef<(() => void) | null>(null);
  const endDrag = useCallback(() => {
    allowSelection.current?.();
    hideDrops.current?.();
    hideDrops.current = null;
  }, []);
  // If the canvas unmounts during a drag, no end event arrives.
  useEffect(() => endDrag, [endDrag]);
  const onConnectStart = useCallback(
    (event: MouseEvent | TouchEvent, params: OnConnectStartParams) => {
      lastFrom.current = "touches" in event ? pointOf(event) : { x: event.clientX, y: event.clientY };
      if (!params.nodeId || !params.handleType) return;
      const from = endOf(params.nodeId, params.handleId, params.handleType);
      if (!from) return;
      useConnecting.getState().start(from);
      endDrag();
      allowSelection.current = preventTextSelection();
      // Only outputs have values that a field can name.
      if (from.output) hideDrops.current = showDrops();
      beginGesture(releaseButton);
    },
    [endDrag],
  );
  const isValidConnection = useCallback((connection: Ends) => {
    const from = endOf(connection.source, connection.sourceHandle ?? null, "source");
    const to = endOf(connection.target, connection.targetHandle ?? null, "target");
    return from !== null && to !== null && connectionError(from, to) === null;
  }, []);
  const onConnect = useCallback((connection: Connection) => {
    if (isCancelled()) return;
    const { document } = useDocument.getState();
    const edge = newEdge(document, realEnds(connection));
    if (!document.edges.some((one) => sameEnds(one, edge))) void putWire(edge, "Connect");
  }, []);
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      const connecting = useConnecting.getState();
      const { from } = connecting;
      connecting.end();
      endGesture();
      endDrag();
      const moved = reconnecting.current;
      if (!from || state.isValid || isCancelled()) return;
      const at = pointOf(event);
      // Over a settings field, dropping an output inserts the name of its value.
      if (from.output && dropName(at.x, at.y, outputName(from.node, from.handle))) return;
      const { toHandle, toNode } = state;
      if (toHandle) {
        const to = endOf(toHandle.nodeId, toHandle.id ?? null, toHandle.type);
        const text = to ? connectionError(from, to) : null;
        if (text)
          connecting.refuse({ at, from: lastFrom.current, text: moved === null ? text : `${text} ${STAYS}` });
      } else if (toNode) {
        const text = "Drop the wire on one of the node’s handles.";
        connecting.refuse({ at, from: lastFrom.current, text: moved === null ? text : `${text} ${STAYS}` });
      } else if (moved !== null) {
        const isFar = Math.hypot(at.x - lastFrom.current.x, at.y - lastFrom.current.y) > CLICK;
        if (isFar && isOnCanvas(at)) pullOff(moved);
      } else if (Math.hypot(at.x - lastFrom.current.x, at.y - lastFrom.current.y) > CLICK) {
        connecting.openQuickAdd({ at, from, begins: state.from ?? undefined });
      }
    },
    [endDrag],
  );
  const onReconnectStart = useCallback((_event: unknown, { id }: { id: string }) => {
    reconnecting.current = id;
  }, []);
  const onReconnectEnd = useCallback(() => {
    reconnecting.current = null;
  }, []);
  const onReconnect = useCallback((old: { id: string }, ends: Connection) => {
    if (isCancelled()) return;
    const { document } = useDocument.getState();
    const edge = document.edges.find((one) => one.id === old.id);
    if (!edge) return;
    const next = { ...edge, ...realEnds(ends) };
    const twin = document.edges.find((one) => one.id !== edge.id && sameEnds(one, next));
    if (twin) {
      const at = lastFrom.current;
      const text = `These handles are already connected. ${STAYS}`;
      useConnecting.getState().refuse({ at, from: at, text });
    } else if (!sameEnds(edge, next)) void putWire(next, "Reconnect");
  }, []);
  return {
    onConnectStart,
    isValidConnection,
    onConnect,
    onConnectEnd,
    onReconnectStart,
    onReconnect,
    onReconnectEnd,
  };
}
