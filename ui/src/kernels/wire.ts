// The course of a wire from one socket to another, as the curve that xyflow draws forwards.
import type { Box, Point } from "./geometry";

export interface Course {
  from: Point;
  to: Point;
}

/** Of a wire that runs backwards: its corners' radius, and how far it continues before it turns, in pixels. */
export const BACKWARDS = { borderRadius: 16, offset: 22 } as const;

/** Wires that run to the left take a way of their own, with corners. */
export const isBackwards = ({ from, to }: Course): boolean => to.x <= from.x;

/** How far the curve's control points stand from its ends, to the right of its beginning and to the left of its end. */
export const pull = ({ from, to }: Course): number => (to.x - from.x) / 2;

/** What the wire cannot reach beyond, for either way. */
export function wireBounds({ from, to }: Course, around: number): Box {
  return {
    left: Math.min(from.x, to.x) - around,
    top: Math.min(from.y, to.y) - around,
    right: Math.max(from.x, to.x) + around,
    bottom: Math.max(from.y, to.y) + around,
  };
}

/** Pieces that a curve is taken as straight in. */
const PIECES = 16;

/** How far `point` is from a wire that runs forwards. */
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
