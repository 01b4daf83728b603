// Finds the layout that shows a flow largest in the free part of the canvas, by wrapping it to the shape of
// that part.
import { type Box, boundsOf, overlaps, type Point } from "./geometry";
import { type LayeredEdge, type LayeredRegion, layered } from "./layered";
import { type LayoutNode, wrappedLayout } from "./layout";
import type { Size } from "./placement";

/** The space for hulls, badges and overlays on the canvas, in pixels. */
const ROOM = { width: 72, height: 150 };

/** The number of nodes above which fewer shapes are tried, since each requires a full layout. */
const MANY = 100;

/** The line counts to try, relative to the count that fits the shape of the area. */
const LINE_COUNT_OFFSETS = [-1, 0, 1, 2];

const ONE_LINE = Number.POSITIVE_INFINITY;

/** A more complex layout is preferred only if it shows the flow larger than a simpler one by this factor. */
const CLEARLY = 1.1;

type Places = Map<string, Point>;

const boxesOf = (places: Places, nodes: readonly LayoutNode[]): Map<string, Box> =>
  new Map(
    nodes.flatMap(({ id, width, height }): [string, Box][] => {
      const at = places.get(id);
      return at ? [[id, { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height }]] : [];
    }),
  );

/** Returns the zoom at which the area shows the layout; 1 is 100%. */
export function zoomOf(places: Places, nodes: readonly LayoutNode[], area: Size): number {
  const all = boundsOf([...boxesOf(places, nodes).values()]);
  if (!all) return 1;
  const width = Math.max(area.width - ROOM.width, 1) / (all.right - all.left);
  const height = Math.max(area.height - ROOM.height, 1) / (all.bottom - all.top);
  return Math.min(1, width, height);
}

/** Returns whether a node lies between the nodes of a loop that it does not belong to. */
function isMixed(places: Places, nodes: readonly LayoutNode[], regions: readonly LayeredRegion[]): boolean {
  const boxes = boxesOf(places, nodes);
  return regions.some((region) => {
    const own = new Set(region.nodes);
    const hull = boundsOf(region.nodes.flatMap((id) => boxes.get(id) ?? []));
    return hull !== null && [...boxes].some(([id, box]) => !own.has(id) && overlaps(box, hull));
  });
}

/** Returns the line widths to try, in pixels, for a layout that has the given size in one line. */
function widths({ width, height }: Size, area: Size, isMany: boolean): number[] {
  const aspect = Math.max(area.width - ROOM.width, 1) / Math.max(area.height - ROOM.height, 1);
  const lines = Math.max(1, Math.round(Math.sqrt(width / (height * aspect))));
  const tried = (isMany ? [0] : LINE_COUNT_OFFSETS).map((more) => lines + more).filter((count) => count > 1);
  // A line ends with a whole column and is thus shorter than its share of the row, so the width allows for
  // some difference.
  return [...new Set(tried)].map((count) => Math.ceil((width / count) * 1.15));
}

const sizeOf = (places: Places, nodes: readonly LayoutNode[]): Size => {
  const all = boundsOf([...boxesOf(places, nodes).values()]);
  return { width: all ? all.right - all.left : 0, height: all ? all.bottom - all.top : 0 };
};

/**
 * Returns a function that maps a node's id to the innermost loop that contains the node; null if no loop
 * does.
 */
function scopeIn(regions: readonly LayeredRegion[]): (id: string) => string | null {
  const scope = new Map(
    [...regions]
      .sort((a, b) => a.depth - b.depth)
      .flatMap((region) => region.nodes.map((id) => [id, region.start] as const)),
  );
  return (id) => {
    const start = scope.get(id);
    return start === undefined || start === id ? null : start;
  };
}

/**
 * Returns the position of each node on the grid. `area` is the free part of the canvas, in pixels. `edges`
 * must not contain feedback.
 */
export function shapedLayout(
  nodes: readonly LayoutNode[],
  edges: readonly LayeredEdge[],
  regions: readonly LayeredRegion[],
  origin: Point,
  area: Size,
): Places {
  const isMany = nodes.length > MANY;
  /** Returns layouts in one line and, if a single line would be scaled down, in several lines. */
  const inOrder = (make: (width: number, row: number) => Places[]): Places[] => {
    const [row] = make(ONE_LINE, ONE_LINE);
    if (!row || zoomOf(row, nodes, area) === 1) return row ? [row] : [];
    const size = sizeOf(row, nodes);
    return [row, ...[ONE_LINE, ...widths(size, area, isMany)].flatMap((width) => make(width, size.width))];
  };
  const wrapped = inOrder((width) => [wrappedLayout(nodes, edges, width, scopeIn(regions))]);
  const layers = inOrder((width, row) => {
    // A loop may be wrapped even if the flow around it is not.
    const inside = regions.length === 0 || isMany || row === ONE_LINE ? [] : [row * 0.45, row * 0.3];
    return [width, ...inside].map((most) => layered(nodes, edges, regions, origin, width, most));
  });
  const candidates = [...wrapped.filter((places) => !isMixed(places, nodes, regions)), ...layers];
  let [best] = candidates;
  let zoom = best ? zoomOf(best, nodes, area) : 0;
  for (const places of candidates.slice(1)) {
    const larger = zoomOf(places, nodes, area);
    if (larger < zoom * (layers.includes(places) ? CLEARLY : 1)) continue;
    if (larger === zoom) continue;
    [best, zoom] = [places, larger];
  }
  return best ?? new Map();
}
