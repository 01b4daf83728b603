// How a flow is fitted into view: with room for what hangs around cards, and clear of the minimap in the corner.
import { getViewportForBounds, type ReactFlowState } from "@xyflow/react";
import { type Box, boundsOf, overlaps } from "../kernels/geometry";
import { boxOf, present } from "./regions";

/** Room around the nodes for hulls, live badges and the feedback lane, and below for the tool bar, in pixels. */
const ROOM = { top: 66, bottom: 84, left: 36, right: 36 };
const MOST_ZOOM = 1;
/** A flow is fitted beside what covers the canvas if so much is left, in pixels. */
const LEAST_WIDTH = 240;
/** Between a card and the minimap, in pixels. */
const CLEAR = 12;

export interface Frame {
  width: number;
  height: number;
  minZoom: number;
}

type Room = typeof ROOM;
type Px = `${number}px`;
const inPixels = ({ top, bottom, left, right }: Room) => ({
  top: `${top}px` as Px,
  bottom: `${bottom}px` as Px,
  left: `${left}px` as Px,
  right: `${right}px` as Px,
});

/**
 * The room to leave so that no card comes to lie under what covers the lower right corner, which is `corner` wide and high
 * with its distance from the edges, in pixels, nor under what covers the `sides`. Of the ways to get clear of it the one that shows the flow largest.
 */
export function roomFor(
  boxes: readonly Box[],
  frame: Frame,
  corner: { width: number; height: number } | null,
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
    const { x, y, zoom } = getViewportForBounds(
      rect,
      frame.width,
      frame.height,
      frame.minZoom,
      MOST_ZOOM,
      padding,
    );
    const covered: Box = {
      left: (frame.width - corner.width - CLEAR - x) / zoom,
      top: (frame.height - corner.height - CLEAR - y) / zoom,
      right: (frame.width - x) / zoom,
      bottom: (frame.height - y) / zoom,
    };
    return { padding, zoom, isClear: !boxes.some((box) => overlaps(box, covered)) };
  };
  const usual = fitted(room);
  if (usual.isClear) return usual.padding;
  const beside = fitted({ ...room, right: Math.max(room.right, corner.width + CLEAR) });
  const above = fitted({ ...room, bottom: Math.max(room.bottom, corner.height + CLEAR) });
  return beside.zoom > above.zoom ? beside.padding : above.padding;
}

/** At this zoom a card can be read. */
export const LEGIBLE = 0.6;

/** Whether all of these cards are in view, clear of what lies over the canvas, and large enough to be read. */
export function isWellSeen(
  state: State & Pick<ReactFlowState, "transform">,
  ids: readonly string[],
): boolean {
  const [x, y, zoom] = state.transform;
  const all = boundsOf(present(ids.map((id) => boxOf(state, id))));
  if (!all || zoom < LEGIBLE) return false;
  return (
    all.left * zoom + x >= CLEAR &&
    all.top * zoom + y >= CLEAR &&
    all.right * zoom + x <= state.width - ROOM.right &&
    all.bottom * zoom + y <= state.height - ROOM.bottom
  );
}

type State = Pick<ReactFlowState, "nodeLookup" | "domNode" | "width" | "height" | "minZoom">;

/** How much of the canvas the panels cover at its sides, in pixels: in a narrow window they lie over it. */
function coveredSides(canvas: DOMRect): { left: number; right: number } {
  const covered = { left: 0, right: 0 };
  for (const panel of document.querySelectorAll(".edit-frame > :is(.palette, .side-box)")) {
    const { left, right, width } = panel.getBoundingClientRect();
    if (width === 0) continue;
    if (left <= canvas.left) covered.left = Math.max(covered.left, right - canvas.left);
    else if (right >= canvas.right) covered.right = Math.max(covered.right, canvas.right - left);
  }
  // Where they leave next to nothing they are looked past.
  return canvas.width - covered.left - covered.right < LEAST_WIDTH ? { left: 0, right: 0 } : covered;
}

/** xyflow's options to fit these nodes, or all, into view. */
export function fitOptions(state: State, ids: Iterable<string> = state.nodeLookup.keys()) {
  const boxes = present([...ids].map((id) => boxOf(state, id)));
  const canvas = state.domNode?.getBoundingClientRect();
  const map = state.domNode?.closest(".canvas")?.querySelector(".minimap")?.getBoundingClientRect();
  const corner = map && canvas && { width: canvas.right - map.left, height: canvas.bottom - map.top };
  const sides = canvas ? coveredSides(canvas) : undefined;
  return { padding: roomFor(boxes, state, corner ?? null, sides), maxZoom: MOST_ZOOM };
}
