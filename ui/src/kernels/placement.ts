// Where new things go: a free place near a point, and the place of a node added behind another.
import { type Box, GRID, grown, overlaps, type Point, snapPoint } from "./geometry";

export interface Size {
  width: number;
  height: number;
}

/** A card's size before it has been measured, in pixels. */
export const CARD_SIZE: Size = { width: 196, height: 110 };

/** How far below a card's upper edge its first socket stands, in pixels. */
export const SOCKET_HEIGHT = 52;

const boxAt = (at: Point, size: Size): Box => ({
  left: at.x,
  top: at.y,
  right: at.x + size.width,
  bottom: at.y + size.height,
});

/** How far from the wanted place a free one is looked for on all sides, in steps of the grid: about half a window. */
const REACH = 30;

/** The places around one, the nearest first: flows are read from left to right, so that above or below is nearer than beside. */
const SPIRAL: readonly Point[] = Array.from({ length: (2 * REACH + 1) ** 2 }, (_, i) => ({
  x: (i % (2 * REACH + 1)) - REACH,
  y: Math.floor(i / (2 * REACH + 1)) - REACH,
})).sort((a, b) => farness(a) - farness(b));

function farness({ x, y }: Point): number {
  return 1.5 * Math.abs(x) + (y < 0 ? -1.25 * y : y);
}

/** The wanted place on the grid, or the nearest one where the node covers no other. */
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
  // Each round steps below the box that was hit, so that there are at most as many rounds as boxes.
  let at = start;
  for (let hit = covered(at); hit; hit = covered(at)) {
    at = snapPoint({ x: at.x, y: hit.bottom + GRID + GRID / 2 });
  }
  return at;
}

/** What is left free on each side of a card that is put into a wire, in pixels. */
export const INSERT_MARGIN = 2 * GRID;

/**
 * Where a card goes that is put between two others, and how far to the right the second of them must go to make room: neither is
 * covered. It stays where it was wanted where the wire leads back or down, for there is no side to make room at.
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

/** The place of a node that a wire dropped at `drop` should reach with its first socket. */
export function placeAtWireEnd(drop: Point, forward: boolean, size: Size): Point {
  return snapPoint({ x: forward ? drop.x : drop.x - size.width, y: drop.y - SOCKET_HEIGHT });
}
