// The outline of a union of boxes. Coordinates are compressed to a small grid and covered cells are marked.
// The border between covered and uncovered cells is then traced once, with the covered cells on the right.
import type { Box, Point } from "./geometry";

const sortedUnique = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);

/** Returns the outer borders: one closed polygon of corner points per connected part, without holes. */
export function outlineOf(boxes: readonly Box[]): Point[][] {
  const xs = sortedUnique(boxes.flatMap((b) => [b.left, b.right]));
  const ys = sortedUnique(boxes.flatMap((b) => [b.top, b.bottom]));
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  if (columns < 1 || rows < 1) return [];
  const covered = new Set<number>();
  for (const box of boxes) {
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const x = xs[c] as number;
        const y = ys[r] as number;
        if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) covered.add(r * columns + c);
      }
    }
  }
  const isCovered = (c: number, r: number) =>
    c >= 0 && r >= 0 && c < columns && r < rows && covered.has(r * columns + c);

  // The border edges between grid corners, clockwise around covered cells: corner -> next corners.
  const next = new Map<string, string[]>();
  const key = (c: number, r: number) => `${c},${r}`;
  const addEdge = (from: string, to: string) => next.set(from, [...(next.get(from) ?? []), to]);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      if (!isCovered(c, r)) continue;
      if (!isCovered(c, r - 1)) addEdge(key(c, r), key(c + 1, r));
      if (!isCovered(c + 1, r)) addEdge(key(c + 1, r), key(c + 1, r + 1));
      if (!isCovered(c, r + 1)) addEdge(key(c + 1, r + 1), key(c, r + 1));
      if (!isCovered(c - 1, r)) addEdge(key(c, r + 1), key(c, r));
    }
  }
  const polygons: Point[][] = [];
  const point = (corner: string): Point => {
    const [c, r] = corner.split(",").map(Number) as [number, number];
    return { x: xs[c] as number, y: ys[r] as number };
  };
  for (const start of [...next.keys()]) {
    const trail: Point[] = [];
    let at = start;
    while (true) {
      const to = next.get(at)?.pop();
      if (to === undefined) break;
      trail.push(point(at));
      at = to;
    }
    const polygon = withoutStraightPoints(trail);
    // Holes run in the opposite direction and have a negative area.
    if (polygon.length >= 4 && signedArea(polygon) > 0) polygons.push(polygon);
  }
  return polygons;
}

function withoutStraightPoints(points: Point[]): Point[] {
  return points.filter((p, i) => {
    const before = points[(i + points.length - 1) % points.length] as Point;
    const after = points[(i + 1) % points.length] as Point;
    return !((before.x === p.x && p.x === after.x) || (before.y === p.y && p.y === after.y));
  });
}

function signedArea(points: Point[]): number {
  return points.reduce((sum, p, i) => {
    const q = points[(i + 1) % points.length] as Point;
    return sum + (p.x * q.y - q.x * p.y) / 2;
  }, 0);
}
