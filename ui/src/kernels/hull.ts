// The hull around a loop's body, and the lane of its feedback wire. Both are computed from the nodes'
// positions and not stored.
//
// Nodes are grouped into rows, as text wraps into lines. Each row and the feedback lane below them become
// boxes, which are padded and joined. The outline of the union is rounded.
import { type Box, boundsOf, type Point, roundedPath } from "./geometry";
import { outlineOf } from "./outline";

/**
 * The space between the nodes and the hull, in pixels. At the top there is space for the tag and the live
 * badge.
 */
export const HULL_PAD = { left: 40, right: 42, top: 50, bottom: 28 } as const;
export const HULL_RADIUS = 26;
/** The distance of the lane below the lowest node, in pixels. */
const LANE_GAP = 30;
/** The distance of the lane from the Loop and from the source of the feedback, in pixels. */
const LANE_SIDE = 22;
/** The minimum width of a step in the outline, enough for two rounded corners. */
const MIN_STEP = 2 * HULL_RADIUS;

/**
 * The distance from a region's nodes, in pixels, beyond which another node cannot touch the region's hull.
 */
export const HULL_REACH = 2 * (HULL_PAD.top + LANE_GAP + LANE_SIDE + MIN_STEP);

export interface FeedbackLane {
  /** The y coordinate of the horizontal segment. */
  y: number;
  /** The x coordinate where the wire rises to the Loop. */
  left: number;
  /** The x coordinate where the wire descends from its source. */
  right: number;
}

/** Groups boxes into rows, from the top. A box belongs to a row if its top is above the row's bottom. */
export function rowsOf<T extends Box>(boxes: readonly T[]): T[][] {
  const sorted = [...boxes].sort((a, b) => a.top - b.top || a.left - b.left);
  const rows: { top: number; bottom: number; items: T[] }[] = [];
  for (const box of sorted) {
    const row = rows.at(-1);
    if (row && box.top < row.bottom) {
      row.items.push(box);
      row.bottom = Math.max(row.bottom, box.bottom);
    } else {
      rows.push({ top: box.top, bottom: box.bottom, items: [box] });
    }
  }
  return rows.map((row) => row.items);
}

/** Returns the lane of the feedback wire, below the whole region. `from` is the box of the wire's source. */
export function feedbackLane(start: Box, region: readonly Box[], from: Box | null): FeedbackLane {
  const all = boundsOf([start, ...region]) ?? start;
  return {
    y: all.bottom + LANE_GAP,
    left: Math.min(start.left, all.left) - LANE_SIDE,
    right: (from ?? start).right + LANE_SIDE,
  };
}

/**
 * Returns the path of the feedback wire: out of the source, down to the lane, back under the body, up to the
 * Loop.
 */
export function feedbackPath(source: Point, target: Point, lane: FeedbackLane): string {
  const right = Math.max(lane.right, source.x + 12);
  return roundedPath(
    [
      source,
      { x: right, y: source.y },
      { x: right, y: lane.y },
      { x: lane.left, y: lane.y },
      { x: lane.left, y: target.y },
      target,
    ],
    16,
  );
}

/**
 * Returns the boxes whose union is the hull. `lane` is null if there is no feedback. The hull avoids
 * `others`, the nodes outside the region, as far as the region's own nodes allow.
 */
export function hullBoxes(
  region: readonly Box[],
  lane: FeedbackLane | null,
  others: readonly Box[] = [],
): Box[] {
  const all = boundsOf(region);
  if (!all) return [];
  const left = Math.min(all.left, lane ? lane.left + LANE_SIDE : all.left) - HULL_PAD.left;
  const rows = rowsOf(region);
  const boxes: Box[] = [];
  rows.forEach((row, i) => {
    const bounds = boundsOf(row) as Box;
    const above = i > 0 ? (boundsOf(rows[i - 1] as Box[]) as Box) : null;
    const below = i < rows.length - 1 ? (boundsOf(rows[i + 1] as Box[]) as Box) : null;
    const top = above ? border(above.bottom, bounds.top) : bounds.top - HULL_PAD.top;
    const bottom = below ? border(bounds.bottom, below.top) : bounds.bottom + HULL_PAD.bottom;
    boxes.push({ left, top, right: bounds.right + HULL_PAD.right, bottom });
  });
  if (lane) {
    const last = boxes.at(-1) as Box;
    const lastRow = rows.at(-1) as Box[];
    const right = Math.max(lane.right + 20, left + MIN_STEP);
    const bottom = lane.y + HULL_PAD.bottom;
    // The part to the right of the lane keeps its own bottom edge.
    const beyond = boundsOf(lastRow.filter((box) => box.right > right));
    if (beyond && last.right - right >= MIN_STEP && bottom - (beyond.bottom + HULL_PAD.bottom) >= MIN_STEP) {
      last.bottom = beyond.bottom + HULL_PAD.bottom;
      boxes.push({ left, top: last.top, right, bottom });
    } else {
      last.bottom = bottom;
      last.right = Math.max(last.right, right);
    }
  }
  keepClear(boxes, region, lane, others);
  return levelled(boxes);
}

/** The gap between the hull and outside nodes, and the minimum padding around inside ones, in pixels. */
const CLEAR = 8;

function keepClear(
  boxes: Box[],
  region: readonly Box[],
  lane: FeedbackLane | null,
  others: readonly Box[],
): void {
  const all = boundsOf(region) as Box;
  const inner = Math.min(all.left, lane?.left ?? all.left) - CLEAR;
  for (const other of others) {
    for (const box of boxes) {
      if (other.top >= box.bottom || other.bottom <= box.top) continue;
      if (other.right <= all.left && other.right + CLEAR > box.left) {
        const left = Math.min(other.right + CLEAR, inner);
        for (const each of boxes) each.left = Math.max(each.left, left);
      }
      const within = region.filter((node) => node.top < box.bottom && node.bottom > box.top);
      const own = Math.max(...within.map((node) => Math.min(node.right, box.right)), box.left);
      if (other.left >= own && other.left - CLEAR < box.right) {
        box.right = Math.max(other.left - CLEAR, own + CLEAR);
      }
    }
  }
}

/**
 * Returns the y coordinate of the border between two rows. It is closer to the lower row, so that there is
 * space above it for a backwards wire.
 */
const border = (above: number, below: number) => above + (below - above) * 0.62;

/** Makes right edges equal if they differ by less than the width of two rounded corners. */
function levelled(boxes: Box[]): Box[] {
  for (let pass = 0; pass < boxes.length; pass++) {
    for (const a of boxes) {
      for (const b of boxes) {
        const gap = b.right - a.right;
        if (gap > 0 && gap < MIN_STEP) a.right = b.right;
      }
    }
  }
  return boxes;
}

/**
 * Returns the maximum extent of a hull around these nodes. It includes the feedback lane if `feedsBack` is set. Null
 * if there are no nodes.
 */
export function hullSpan(region: readonly Box[], feedsBack: boolean): Box | null {
  const all = boundsOf(region);
  if (!all) return null;
  const side = feedsBack ? LANE_SIDE : 0;
  return {
    left: all.left - HULL_PAD.left,
    top: all.top - HULL_PAD.top,
    right: all.right + Math.max(HULL_PAD.right, side + 20),
    bottom: all.bottom + HULL_PAD.bottom + (feedsBack ? LANE_GAP : 0),
  };
}

export interface Hull {
  path: string;
  /** The top left corner of the first row, for the tag. */
  tag: Point;
  /** The right edge of the first row, where elements at the end of the row are placed. */
  end: number;
  bounds: Box;
}

export function hullOf(
  region: readonly Box[],
  lane: FeedbackLane | null,
  others: readonly Box[] = [],
): Hull | null {
  const boxes = hullBoxes(region, lane, others);
  const bounds = boundsOf(boxes);
  if (!bounds) return null;
  const path = outlineOf(boxes)
    .map((polygon) => roundedPath(polygon, HULL_RADIUS, true))
    .join(" ");
  return {
    path,
    tag: { x: bounds.left + 34, y: bounds.top + 14 },
    end: boxes[0]?.right ?? bounds.right,
    bounds,
  };
}
