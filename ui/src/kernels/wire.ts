// The path of a wire between two sockets. A forward wire is the curve that xyflow draws.
import type { Box, Point } from "./geometry";

export interface Course {
  from: Point;
  to: Point;
}

/** For a backwards wire: the radius of its corners, and the distance before it turns, in pixels. */
export const BACKWARDS = { borderRadius: 16, offset: 22 } as const;

/** Returns whether a wire runs to the left. Such a wire is drawn as a path with corners. */
export const isBackwards = ({ from, to }: Course): boolean => to.x <= from.x;

/**
 * Returns the distance of the curve's control points from its ends. The first is to the right of the start,
 * the second to the left of the end.
 */
export const pull = ({ from, to }: Course): number => (to.x - from.x) / 2;

/**
 * Returns a box that contains the wire, whether the wire is drawn as a curve or as a path with corners.
 * `around` is the margin on each side.
 */
export function wireBounds({ from, to }: Course, around: number): Box {
  return {
    left: Math.min(from.x, to.x) - around,
    top: Math.min(from.y, to.y) - around,
    right: Math.max(from.x, to.x) + around,
    bottom: Math.max(from.y, to.y) + around,
  };
}

/** The number of straight pieces that approximate a curve. */
const PIECES = 16;

/** Returns the distance of `point` from a forward wire. */
export function distanceTo(course: Course, point: Point): number {
  const { from, to } = course;
  const by = pull(course);
  let nearest = Number.POSITIVE_INFINITY;
  let before = from;
  for (let i = 1; i <= PIECES; i++) {
    const t = i / PIECES;
    const u = 1 - t;
    const x =
      u * u * u * from.x + 3 * u * u * t * (from.x + by) + 3 * u * t * t * (to.x - by) + t * t * t * to.x;
    const y = (u * u * u + 3 * u * u * t) * from.y + (3 * u * t * t + t * t * t) * to.y;
    nearest = Math.min(nearest, distanceToLine(before, { x, y }, point));
    before = { x, y };
  }
  return nearest;
}

function distanceToLine(a: Point, b: Point, point: Point): number {
  const along = { x: b.x - a.x, y: b.y - a.y };
  const length = along.x * along.x + along.y * along.y;
  const share = length === 0 ? 0 : ((point.x - a.x) * along.x + (point.y - a.y) * along.y) / length;
  const t = Math.min(1, Math.max(0, share));
  return Math.hypot(point.x - a.x - t * along.x, point.y - a.y - t * along.y);
}
