// Arranges the selection: six alignments and two distributions. Pure: takes boxes, returns new top left
// corners.
import { type Box, boundsOf, type Point } from "./geometry";

export const ALIGNMENTS = ["left", "centre", "right", "top", "middle", "bottom"] as const;
export type Alignment = (typeof ALIGNMENTS)[number];
export type Axis = "x" | "y";

type Boxes = ReadonlyMap<string, Box>;

const width = (box: Box): number => box.right - box.left;
const height = (box: Box): number => box.bottom - box.top;

/** Returns the top left corners, by id, that align all boxes at an edge or centre of their common bounds. */
export function aligned(boxes: Boxes, how: Alignment): Map<string, Point> {
  const all = boundsOf([...boxes.values()]);
  const places = new Map<string, Point>();
  if (!all) return places;
  for (const [id, box] of boxes) {
    const at: Record<Alignment, Point> = {
      left: { x: all.left, y: box.top },
      centre: { x: (all.left + all.right - width(box)) / 2, y: box.top },
      right: { x: all.right - width(box), y: box.top },
      top: { x: box.left, y: all.top },
      middle: { x: box.left, y: (all.top + all.bottom - height(box)) / 2 },
      bottom: { x: box.left, y: all.bottom - height(box) },
    };
    places.set(id, { x: Math.round(at[how].x), y: Math.round(at[how].y) });
  }
  return places;
}

/**
 * Returns the top left corners, by id, with which all gaps along an axis are equal. The two outermost boxes
 * stay.
 */
export function distributed(boxes: Boxes, axis: Axis): Map<string, Point> {
  const start = (box: Box) => (axis === "x" ? box.left : box.top);
  const size = axis === "x" ? width : height;
  const sorted = [...boxes].sort(([, a], [, b]) => start(a) + size(a) / 2 - start(b) - size(b) / 2);
  const first = sorted[0]?.[1];
  const last = sorted.at(-1)?.[1];
  const places = new Map<string, Point>();
  if (!first || !last) return places;
  const taken = sorted.reduce((sum, [, box]) => sum + size(box), 0);
  const gap = sorted.length > 1 ? (start(last) + size(last) - start(first) - taken) / (sorted.length - 1) : 0;
  let at = start(first);
  for (const [id, box] of sorted) {
    const along = Math.round(at);
    places.set(id, axis === "x" ? { x: along, y: box.top } : { x: box.left, y: along });
    at += size(box) + gap;
  }
  return places;
}
