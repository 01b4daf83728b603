// Points, boxes and the grid, in flow coordinates (pixels at 100% zoom, y downwards).
export interface Point {
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The canvas grid, in pixels. */
export const GRID = 20;

export const snap = (value: number, step = GRID): number => Math.round(value / step) * step;

export const snapPoint = (point: Point, step = GRID): Point => ({
  x: snap(point.x, step),
  y: snap(point.y, step),
});

export function boundsOf(boxes: readonly Box[]): Box | null {
  const [first, ...rest] = boxes;
  if (!first) return null;
  return rest.reduce(
    (all, box) => ({
      left: Math.min(all.left, box.left),
      top: Math.min(all.top, box.top),
      right: Math.max(all.right, box.right),
      bottom: Math.max(all.bottom, box.bottom),
    }),
    first,
  );
}

export const grown = (box: Box, by: number): Box => ({
  left: box.left - by,
  top: box.top - by,
  right: box.right + by,
  bottom: box.bottom + by,
});

/** Returns the four strips along the sides of a box, `width` pixels wide. */
export function frameOf({ left, top, right, bottom }: Box, width: number): Box[] {
  return [
    { left, right, top, bottom: top + width },
    { left, right, top: bottom - width, bottom },
    { left, right: left + width, top, bottom },
    { left: right - width, right, top, bottom },
  ];
}

export const containsPoint = (box: Box, { x, y }: Point): boolean =>
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

export const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/**
 * Returns an SVG path through the points with rounded corners. The radius is reduced where a segment is too
 * short.
 */
export function roundedPath(points: readonly Point[], radius: number, closed = false): string {
  const corners = points.filter((p, i) => {
    const before = points[i - 1];
    return !before || before.x !== p.x || before.y !== p.y;
  });
  const count = corners.length;
  const at = (i: number) => corners[(i + count) % count] as Point;
  const first = corners[0];
  if (!first || count < 2) return "";
  const parts: string[] = [];
  const corner = (i: number) => {
    const p = at(i);
    const before = at(i - 1);
    const after = at(i + 1);
    const legIn = Math.hypot(p.x - before.x, p.y - before.y);
    const legOut = Math.hypot(after.x - p.x, after.y - p.y);
    const r = Math.min(radius, legIn / 2, legOut / 2);
    const enter = {
      x: p.x + ((before.x - p.x) / (legIn || 1)) * r,
      y: p.y + ((before.y - p.y) / (legIn || 1)) * r,
    };
    const leave = {
      x: p.x + ((after.x - p.x) / (legOut || 1)) * r,
      y: p.y + ((after.y - p.y) / (legOut || 1)) * r,
    };
    return { enter, leave, p };
  };
  const n = (value: number) => String(Math.round(value * 100) / 100);
  if (closed) {
    for (let i = 0; i < count; i++) {
      const { enter, leave, p } = corner(i);
      parts.push(
        `${i === 0 ? "M" : "L"}${n(enter.x)} ${n(enter.y)} Q${n(p.x)} ${n(p.y)} ${n(leave.x)} ${n(leave.y)}`,
      );
    }
    return `${parts.join(" ")} Z`;
  }
  parts.push(`M${n(first.x)} ${n(first.y)}`);
  for (let i = 1; i < count - 1; i++) {
    const { enter, leave, p } = corner(i);
    parts.push(`L${n(enter.x)} ${n(enter.y)} Q${n(p.x)} ${n(p.y)} ${n(leave.x)} ${n(leave.y)}`);
  }
  const last = at(count - 1);
  parts.push(`L${n(last.x)} ${n(last.y)}`);
  return parts.join(" ");
}
