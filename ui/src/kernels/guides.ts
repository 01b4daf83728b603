// What a box that is moved snaps to: edges and middles of the others, within a few pixels, and the lines that show it.
import type { Box, Point } from "./geometry";

export interface Guide {
  /** `x`: an upright line at that x; `y`: a level one. */
  axis: "x" | "y";
  at: number;
  /** Where the line begins and ends, along the other axis. */
  from: number;
  to: number;
}

export interface Snapped {
  /** What is added to the place of the box. */
  by: Point;
  guides: Guide[];
}

/** Beyond the boxes that a line joins, in pixels. */
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

/** How far to move `box` so that it lines up with the others, at most `within` pixels in each direction. */
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
