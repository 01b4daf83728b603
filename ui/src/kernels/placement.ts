// Where new things go: a free place near a point, and the place of a node added behind another.
import { type Box, GRID, overlaps, type Point, snapPoint } from "./geometry";

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

/** The wanted place on the grid, or the nearest one below it where the node covers no other. */
export function freePlace(wanted: Point, size: Size, boxes: readonly Box[]): Point {
  const margin = GRID;
  let at = snapPoint(wanted);
  // Each round steps below the box that was hit, so that there are at most as many rounds as boxes.
  for (let round = 0; round <= boxes.length; round++) {
    const own = boxAt(at, size);
    const grown = {
      left: own.left - margin,
      top: own.top - margin,
      right: own.right + margin,
      bottom: own.bottom + margin,
    };
    const hit = boxes.find((box) => overlaps(grown, box));
    if (!hit) return at;
    at = snapPoint({ x: at.x, y: hit.bottom + margin + GRID / 2 });
  }
  return at;
}

/** What is left free on each side of a card that is put into a wire, in pixels. */
export const ASIDE = 2 * GRID;

/**
 * Where a card goes that is put between two others, and how far to the right the second of them must go to make room: neither is
 * covered. It stays where it was wanted where the wire leads back or down, for there is no side to make room at.
 */
export function roomBetween(
  wanted: Point,
  size: Size,
  { before, behind }: { before: Box; behind: Box },
): { at: Point; shift: number } {
  if (behind.left < before.right) return { at: snapPoint(wanted), shift: 0 };
  const beside = (box: Box) => wanted.y < box.bottom + GRID && wanted.y + size.height + GRID > box.top;
  const first = beside(before) ? before.right + ASIDE : Number.NEGATIVE_INFINITY;
  const last = beside(behind) ? behind.left - ASIDE - size.width : Number.POSITIVE_INFINITY;
  const at = snapPoint({ x: Math.max(first, Math.min(wanted.x, last)), y: wanted.y });
  const lacks = at.x - last;
  return { at, shift: lacks > 0 ? Math.ceil(lacks / GRID) * GRID : 0 };
}

/** The place of a node that a wire dropped at `drop` should reach with its first socket. */
export function placeAtWireEnd(drop: Point, forward: boolean, size: Size): Point {
  return snapPoint({ x: forward ? drop.x : drop.x - size.width, y: drop.y - SOCKET_HEIGHT });
}
