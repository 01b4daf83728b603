// Where new things go: a free place near a point, and the place of a node added behind another.
import { type Box, GRID, overlaps, type Point, snapPoint } from "./geometry";

export interface Size {
  width: number;
  height: number;
}

/** A card's size before it has been measured, in pixels. */
export const CARD_SIZE: Size = { width: 196, height: 110 };

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

/** The place of a node that a wire dropped at `drop` should reach with its first socket. */
export function placeAtWireEnd(drop: Point, forward: boolean, size: Size): Point {
  const socket = 52;
  return snapPoint({ x: forward ? drop.x : drop.x - size.width, y: drop.y - socket });
}
