// Finds places for new nodes: a free place near a point, a place between two others, or a place at the end of
// a wire.
import { type Box, GRID, grown, overlaps, type Point, snapPoint } from "./geometry";

export interface Size {
  width: number;
  height: number;
}

/** The size of an unmeasured card, in pixels. */
export const CARD_SIZE: Size = { width: 196, height: 110 };

/** The distance of the first socket below a card's top edge, in pixels. */
export const SOCKET_HEIGHT = 52;

const boxAt = (at: Point, size: Size): Box => ({
  left: at.x,
  top: at.y,
  right: at.x + size.width,
  bottom: at.y + size.height,
});

/** The search distance around the wanted place in each direction, in grid steps: about half a window. */
const REACH = 30;

/**
 * The offsets from a position, nearest first. Flows are read from left to right, so offsets above and below
 * count as nearer than offsets to the left and right.
 */
const SPIRAL: readonly Point[] = Array.from({ length: (2 * REACH + 1) ** 2 }, (_, i) => ({
  x: (i % (2 * REACH + 1)) - REACH,
  y: Math.floor(i / (2 * REACH + 1)) - REACH,
})).sort((a, b) => farness(a) - farness(b));

function farness({ x, y }: Point): number {
  return 1.5 * Math.abs(x) + (y < 0 ? -1.25 * y : y);
}

/**
 * Returns the wanted position on the grid if the node covers no other there, otherwise the nearest position
 * where it covers none.
 */
export function freePlace(wanted: Point, size: Size, boxes: readonly Box[]): Point {
  const start = snapPoint(wanted);
  const covered = (at: Point) => {
    const taken = grown(boxAt(at, size), GRID);
    return boxes.find((box) => overlaps(taken, box));
  };
  for (const { x, y } of SPIRAL) {
    const at = { x: start.x + x * GRID, y: start.y + y * GRID };
    if (!covered(at)) return at;
  }
  // Each round moves the node below the box it hit, so there are at most as many rounds as boxes.
  let at = start;
  for (let hit = covered(at); hit; hit = covered(at)) {
    at = snapPoint({ x: at.x, y: hit.bottom + GRID + GRID / 2 });
  }
  return at;
}

/** The space on each side of a card inserted into a wire, in pixels. */
export const INSERT_MARGIN = 2 * GRID;

/**
 * Returns the position of a card between two others, and how far the second one must move right so that
 * neither is covered. If the wire leads backwards or down, no gap can be widened, and the card stays at the
 * wanted position.
 */
export function roomBetween(
  wanted: Point,
  size: Size,
  { before, after }: { before: Box; after: Box },
): { at: Point; shift: number } {
  if (after.left < before.right) return { at: snapPoint(wanted), shift: 0 };
  const beside = (box: Box) => wanted.y < box.bottom + GRID && wanted.y + size.height + GRID > box.top;
  const first = beside(before) ? before.right + INSERT_MARGIN : Number.NEGATIVE_INFINITY;
  const last = beside(after) ? after.left - INSERT_MARGIN - size.width : Number.POSITIVE_INFINITY;
  const at = snapPoint({ x: Math.max(first, Math.min(wanted.x, last)), y: wanted.y });
  const lacks = at.x - last;
  return { at, shift: lacks > 0 ? Math.ceil(lacks / GRID) * GRID : 0 };
}

/** Returns the position of a node whose first socket is to be at `drop`, where a wire was dropped. */
export function placeAtWireEnd(drop: Point, forward: boolean, size: Size): Point {
  return snapPoint({ x: forward ? drop.x : drop.x - size.width, y: drop.y - SOCKET_HEIGHT });
}
