// Fits a flow into view. It leaves room for decorations around cards, and keeps cards clear of the minimap in
// the corner.
import { getViewportForBounds, type ReactFlowState } from "@xyflow/react";
import {
  type Area,
  type Camera,
  centredCamera,
  isClear,
  nearestCamera,
  onCanvas,
  zoomThatFits,
} from "../../kernels/camera";
import { type Box, boundsOf, overlaps } from "../../kernels/geometry";
import { boxOf, present } from "../move/regions";

/**
 * The space around the nodes for hulls, live badges and the feedback lane, and below them for the tool bar,
 * in pixels.
 */
const ROOM = { top: 66, bottom: 84, left: 36, right: 36 };
const MAX_ZOOM = 1;
/**
 * The minimum width in pixels that panels must leave uncovered. If they leave less, the flow is fitted as if
 * they were not there.
 */
const MIN_WIDTH = 240;
/** The gap between a card and the minimap, in pixels. */
const CLEAR = 12;

export interface Frame {
  width: number;
  height: number;
  minZoom: number;
}

/** The area covered in the lower right corner, measured from the edges, in pixels. */
interface Corner {
  width: number;
  height: number;
}

/** Returns the corner, enlarged by the gap, in flow coordinates for a view at `x`, `y`. */
const inCorner = (
  { width, height }: Pick<Frame, "width" | "height">,
  corner: Corner,
  { x, y, zoom }: { x: number; y: number; zoom: number },
): Box => ({
  left: (width - corner.width - CLEAR - x) / zoom,
  top: (height - corner.height - CLEAR - y) / zoom,
  right: (width - x) / zoom,
  bottom: (height - y) / zoom,
});

type Room = typeof ROOM;
type Px = `${number}px`;
const inPixels = ({ top, bottom, left, right }: Room) => ({
  top: `${top}px` as Px,
  bottom: `${bottom}px` as Px,
  left: `${left}px` as Px,
  right: `${right}px` as Px,
});

/**
 * Returns the padding with which no card lies under the covered lower right corner or the covered `sides`. If
 * several paddings are possible, returns the one that shows the flow largest.
 */
export function roomFor(
  boxes: readonly Box[],
  frame: Frame,
  corner: Corner | null,
  sides: { left: number; right: number } = { left: 0, right: 0 },
) {
  const bounds = boundsOf(boxes);
  const room = { ...ROOM, left: ROOM.left + sides.left, right: ROOM.right + sides.right };
  if (!bounds || !corner) return inPixels(room);
  const rect = {
    x: bounds.left,
    y: bounds.top,
    width: bounds.right - bounds.left,
    height: bounds.bottom - bounds.top,
  };
  const fitted = (around: Room) => {
    const padding = inPixels(around);
    const view = getViewportForBounds(rect, frame.width, frame.height, frame.minZoom, MAX_ZOOM, padding);
    const covered = inCorner(frame, corner, view);
    return { padding, zoom: view.zoom, isClear: !boxes.some((box) => overlaps(box, covered)) };
  };
  const usual = fitted(room);
  if (usual.isClear) return usual.padding;
  const beside = fitted({ ...room, right: Math.max(room.right, corner.width + CLEAR) });
  const above = fitted({ ...room, bottom: Math.max(room.bottom, corner.height + CLEAR) });
  return beside.zoom > above.zoom ? beside.padding : above.padding;
}

/**
 * The zoom at which a card can be read with some effort. If the current zoom is lower, relevant nodes are
 * shown at `READABLE` instead.
 */
const LEGIBLE = 0.6;

/**
 * The zoom at which a card is easy to read. A run is never shown smaller unless the user zooms. At this zoom,
 * `--least-text` in Canvas.module.css keeps the smallest text of a card at 10 px.
 */
export const READABLE = 0.85;

type State = Pick<ReactFlowState, "nodeLookup" | "domNode" | "width" | "height" | "minZoom">;

/**
 * Returns the widths that panels cover at the canvas' sides, in pixels. Panels cover the canvas only in a
 * narrow window. Both widths are 0 if the panels would leave less than `MIN_WIDTH`.
 */
function coveredSides(canvas: DOMRect): { left: number; right: number } {
  const covered = { left: 0, right: 0 };
  for (const panel of document.querySelectorAll("[data-region=palette], [data-region=side]")) {
    const { left, right, width } = panel.getBoundingClientRect();
    if (width === 0) continue;
    if (left <= canvas.left) covered.left = Math.max(covered.left, right - canvas.left);
    else if (right >= canvas.right) covered.right = Math.max(covered.right, canvas.right - left);
  }
  // If the panels leave almost no space, they are ignored.
  return canvas.width - covered.left - covered.right < MIN_WIDTH ? { left: 0, right: 0 } : covered;
}

/** Returns the area covered by the minimap; null if it is hidden. */
function cornerOf({ domNode }: Pick<State, "domNode">): Corner | null {
  const canvas = domNode?.getBoundingClientRect();
  const map = domNode
    ?.closest('[data-region="canvas"]')
    ?.querySelector('[aria-label="Minimap"]')
    ?.getBoundingClientRect();
  return map && canvas ? { width: canvas.right - map.left, height: canvas.bottom - map.top } : null;
}

/** Returns whether a card lies under the minimap. */
export function isUnderMap(state: State & Pick<ReactFlowState, "transform">): boolean {
  const corner = cornerOf(state);
  if (!corner) return false;
  const [x, y, zoom] = state.transform;
  const covered = inCorner(state, corner, { x, y, zoom });
  return [...state.nodeLookup.keys()].some((id) => {
    const box = boxOf(state, id);
    return box !== null && overlaps(box, covered);
  });
}

/** Returns xyflow's options to fit nodes into view. By default, these are all nodes. */
export function fitOptions(state: State, ids: Iterable<string> = state.nodeLookup.keys()) {
  const boxes = present([...ids].map((id) => boxOf(state, id)));
  const canvas = state.domNode?.getBoundingClientRect();
  const sides = canvas ? coveredSides(canvas) : undefined;
  return { padding: roomFor(boxes, state, cornerOf(state), sides), maxZoom: MAX_ZOOM };
}

/** Returns the area of the canvas that nothing covers. */
function freeArea(state: State): Area {
  const canvas = state.domNode?.getBoundingClientRect();
  const sides = canvas ? coveredSides(canvas) : { left: 0, right: 0 };
  const { width, height } = state;
  const corner = cornerOf(state);
  return {
    free: {
      left: CLEAR + sides.left,
      top: CLEAR,
      right: Math.max(width - CLEAR - sides.right, CLEAR + sides.left),
      bottom: Math.max(height - ROOM.bottom, CLEAR),
    },
    corner: corner && {
      left: width - corner.width - CLEAR,
      top: height - corner.height - CLEAR,
      right: width,
      bottom: height,
    },
  };
}

/** Returns the size of the canvas without the parts that panels cover, in pixels. */
export function freeSize(state: State): { width: number; height: number } {
  const canvas = state.domNode?.getBoundingClientRect();
  const { left, right } = canvas ? coveredSides(canvas) : { left: 0, right: 0 };
  return { width: state.width - left - right, height: state.height };
}

type Seen = State & Pick<ReactFlowState, "transform">;

export const cameraOf = ({ transform: [x, y, zoom] }: Pick<ReactFlowState, "transform">): Camera => ({
  x,
  y,
  zoom,
});

const boundsOfNodes = (state: State, ids: Iterable<string>): Box | null =>
  boundsOf(present([...ids].map((id) => boxOf(state, id))));

/** Returns whether the whole card of the node is in view and not covered. */
export function isInView(state: Seen, id: string): boolean {
  const box = boxOf(state, id);
  return box !== null && isClear(box, cameraOf(state), freeArea(state));
}

/** Returns a camera that shows these nodes at a readable size, as many as fit; null if they are not drawn. */
export function cameraToRead(state: Seen, ids: readonly string[]): Camera | null {
  const box = boundsOfNodes(state, ids);
  if (!box) return null;
  const area = freeArea(state);
  const camera = cameraOf(state);
  const most = Math.max(zoomThatFits(box, area), state.minZoom);
  const zoom = Math.min(camera.zoom < LEGIBLE ? READABLE : camera.zoom, most);
  return zoom === camera.zoom ? nearestCamera(box, camera, area) : centredCamera(box, zoom, area);
}

/**
 * Returns a camera that shows these nodes at the current zoom with the smallest possible move; null if they
 * are not drawn. If they are larger than the canvas and partly visible, the camera stays.
 */
export function cameraBeside(state: Seen, ids: readonly string[]): Camera | null {
  const box = boundsOfNodes(state, ids);
  if (!box) return null;
  const area = freeArea(state);
  const camera = cameraOf(state);
  const isTooLarge = zoomThatFits(box, area) < camera.zoom;
  return isTooLarge && overlaps(onCanvas(box, camera), area.free) ? camera : nearestCamera(box, camera, area);
}

/** Returns a camera that shows the whole flow; null if nothing is drawn. */
export function cameraOnAll(state: State): Camera | null {
  const all = boundsOfNodes(state, state.nodeLookup.keys());
  if (!all) return null;
  const { padding, maxZoom } = fitOptions(state);
  const { left, top, right, bottom } = all;
  const rect = { x: left, y: top, width: right - left, height: bottom - top };
  return getViewportForBounds(rect, state.width, state.height, state.minZoom, maxZoom, padding);
}

/** Returns whether the whole flow fits at a readable size. */
export function fitsReadable(state: State): boolean {
  const whole = cameraOnAll(state);
  return whole !== null && whole.zoom >= READABLE;
}

/**
 * Returns a camera for a run: on the whole flow if it is readable at that zoom, otherwise on as many nodes as fit,
 * starting from `lead` or the beginning. Null if nothing is drawn.
 */
export function cameraForRun(state: State, lead: readonly string[]): Camera | null {
  const whole = cameraOnAll(state);
  const all = boundsOfNodes(state, state.nodeLookup.keys());
  if (!whole || !all || whole.zoom >= READABLE) return whole;
  const area = freeArea(state);
  const { free } = area;
  // Hulls and badges extend above the cards.
  const room = { ...free, left: free.left + ROOM.left, top: ROOM.top };
  const begin = centredCamera(all, READABLE, { ...area, free: room });
  const box = boundsOfNodes(state, lead);
  return box ? nearestCamera(box, begin, area) : begin;
}
