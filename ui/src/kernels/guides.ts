// Snaps a moved box to the edges and centres of others within a few pixels, with guide lines.
import type { Box, Point } from "./geometry";

export interface Guide {
  /** The axis that the line crosses: for `x` the line is vertical, for `y` horizontal. */
  axis: "x" | "y";
  at: number;
  /** The ends of the line along the other axis. */
  from: number;
  to: number;
}

export interface Snapped {
  /** The offset to add to the box's position. */
  by: Point;
  guides: Guide[];
}

/** The length of a line beyond the boxes it joins, in pixels. */
const OVERHANG = 12;

const marks = (low: number, high: number): readonly number[] => [low, (low + high) / 2, high];

interface Nearest {
  distance: number;
  by: number;
  at: number;
  others: Box[];
}

function nearest(
  moving: readonly number[],
  others: readonly Box[],
  of: (box: Box) => readonly number[],
  within: number,
): Nearest | null {
  let found: Nearest | null = null;
  for (const other of others) {
    for (const mark of of(other)) {
      for (const own of moving) {
        const by = mark - own;
        const distance = Math.abs(by);
        if (distance > within) continue;
        if (!found || distance < found.distance) found = { distance, by, at: mark, others: [other] };
        else if (mark === found.at && found.others.at(-1) !== other) found.others.push(other);
      }
    }
  }
  return found;
}

/** Returns the move that aligns `box` with the others, at most `within` pixels in each direction. */
export function snapped(box: Box, others: readonly Box[], within: number): Snapped {
  const onX = nearest(marks(box.left, box.right), others, (b) => marks(b.left, b.right), within);
  const onY = nearest(marks(box.top, box.bottom), others, (b) => marks(b.top, b.bottom), within);
  const by = { x: onX?.by ?? 0, y: onY?.by ?? 0 };
  const guides: Guide[] = [];
  const line = (axis: Guide["axis"], found: Nearest, low: (b: Box) => number, high: (b: Box) => number) => {
    const shift = axis === "x" ? by.y : by.x;
    guides.push({
      axis,
      at: found.at,
      from: Math.min(low(box) + shift, ...found.others.map(low)) - OVERHANG,
      to: Math.max(high(box) + shift, ...found.others.map(high)) + OVERHANG,
    });
  };
  if (onX)
    line(
      "x",
      onX,
      (b) => b.top,
      (b) => b.bottom,
    );
  if (onY)
    line(
      "y",
      onY,
      (b) => b.left,
      (b) => b.right,
    );
  return { by, guides };
}
