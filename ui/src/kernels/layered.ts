// Layered layout with dagre. Every loop is laid out by itself and then becomes one box in its enclosing
// frame, with space for the hull and the feedback lane. Feedback wires lead backwards and are not part of the
// graph.
import dagre from "@dagrejs/dagre";
import { GRID, type Point, snap } from "./geometry";
import { HULL_PAD } from "./hull";
import type { LayoutNode } from "./layout";

/** A wire from node to node. */
export interface LayeredEdge {
  source: string;
  target: string;
}

/** The nodes of one frame. A node belongs to the innermost frame that lists it. */
export interface LayeredRegion {
  start: string;
  nodes: readonly string[];
  depth: number;
}

/** The height of a feedback wire's lane below its loop, in pixels. */
const LANE = 56;

/** The padding around the contents of a loop, in pixels. */
const PADDING = {
  top: HULL_PAD.top + 14,
  left: HULL_PAD.left + 22,
  bottom: HULL_PAD.bottom + LANE,
  right: HULL_PAD.right + 22,
};

/** The gap between two lines of a wrapped frame, in pixels. Wires lead back through it. */
const LINE_GAP = 80;

/** The indent, in pixels, of all lines but the first. Wires reach these lines from the left. */
const INDENT = 60;

/** The dagre options: left to right, distances in pixels. */
const OPTIONS = { rankdir: "LR", ranksep: 60, nodesep: 40, edgesep: 24 };

/** The id of the outermost frame. */
const ROOT = "";

interface Size {
  width: number;
  height: number;
}

/**
 * The direct members of a frame, keyed by id: its nodes, and its inner frames by their loop's id with a
 * prefix.
 */
type Members = Map<string, Size>;

const frameId = (start: string): string => `frame ${start}`;

interface Frames {
  members: Map<string, Members>;
  /** The frame around each node or inner frame, keyed by the node's or frame's id. */
  around: Map<string, string>;
  /** The frames, innermost first, the root last. */
  order: string[];
}

function framesOf(nodes: readonly LayoutNode[], regions: readonly LayeredRegion[]): Frames {
  const there = new Set(nodes.map((node) => node.id));
  const around = new Map<string, string>();
  const order = [ROOT];
  for (const region of [...regions].sort((a, b) => a.depth - b.depth)) {
    const own = region.nodes.filter((id) => there.has(id));
    if (own.length < 2) continue;
    const id = frameId(region.start);
    around.set(id, around.get(region.start) ?? ROOT);
    for (const node of own) around.set(node, id);
    order.unshift(id);
  }
  const members = new Map(order.map((id): [string, Members] => [id, new Map()]));
  for (const { id, width, height } of nodes) members.get(around.get(id) ?? ROOT)?.set(id, { width, height });
  return { members, around, order };
}

/** Returns the member of `frame` that is or contains `id`; null if `id` is outside the frame. */
function memberOf(id: string, frame: string, { around }: Frames): string | null {
  let at = id;
  for (;;) {
    const outer = around.get(at) ?? (at === ROOT ? null : ROOT);
    if (outer === null) return null;
    if (outer === frame) return at;
    at = outer;
  }
}

interface Column {
  left: number;
  right: number;
  members: string[];
}

/** Returns the columns of a frame. Members are in the same column if no vertical line separates them. */
function columnsOf(places: ReadonlyMap<string, Point>, sizes: ReadonlyMap<string, Size>): Column[] {
  const columns: Column[] = [];
  for (const [id, { x }] of [...places].sort((a, b) => a[1].x - b[1].x)) {
    const right = x + (sizes.get(id)?.width ?? 0);
    const last = columns.at(-1);
    if (last && x < last.right) {
      last.members.push(id);
      last.right = Math.max(last.right, right);
    } else columns.push({ left: x, right, members: [id] });
  }
  return columns;
}

/**
 * Wraps a row of columns into lines, like words in a paragraph. A line is no wider than `most`, unless it consists
 * of a single column.
 */
function inLines(
  places: ReadonlyMap<string, Point>,
  sizes: ReadonlyMap<string, Size>,
  most: number,
): Map<string, Point> {
  const lines: Column[][] = [];
  let begin = 0;
  for (const column of columnsOf(places, sizes)) {
    const line = lines.at(-1);
    if (line && column.right - begin <= most) line.push(column);
    else {
      begin = column.left - (lines.length > 0 ? INDENT : 0);
      lines.push([column]);
    }
  }
  const broken = new Map<string, Point>();
  let top = 0;
  for (const [i, line] of lines.entries()) {
    const members = line.flatMap((column) => column.members);
    const at = (id: string) => places.get(id) ?? { x: 0, y: 0 };
    const [left, high] = [line[0]?.left ?? 0, Math.min(...members.map((id) => at(id).y))];
    const low = Math.max(...members.map((id) => at(id).y + (sizes.get(id)?.height ?? 0)));
    for (const id of members)
      broken.set(id, { x: at(id).x - left + (i > 0 ? INDENT : 0), y: at(id).y - high + top });
    top += low - high + LINE_GAP;
  }
  return broken;
}

/** Returns the top left corners of a frame's members, and the total size. */
function layoutFrame(
  frame: string,
  frames: Frames,
  edges: readonly LayeredEdge[],
  most: number,
): { places: Map<string, Point>; size: Size } {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph(OPTIONS);
  graph.setDefaultEdgeLabel(() => ({}));
  const members = frames.members.get(frame) ?? new Map();
  for (const [id, size] of members) graph.setNode(id, { ...size });
  for (const edge of edges) {
    const source = memberOf(edge.source, frame, frames);
    const target = memberOf(edge.target, frame, frames);
    if (source !== null && target !== null && source !== target && members.has(source) && members.has(target))
      graph.setEdge(source, target);
  }
  dagre.layout(graph);
  const row = new Map<string, Point>();
  for (const id of graph.nodes()) {
    // Dagre returns centres.
    const { x, y, width, height } = graph.node(id);
    row.set(id, { x: x - width / 2, y: y - height / 2 });
  }
  const places = most === Number.POSITIVE_INFINITY ? row : inLines(row, members, most);
  const size = { width: 0, height: 0 };
  for (const [id, { x, y }] of places) {
    size.width = Math.max(size.width, x + (members.get(id)?.width ?? 0));
    size.height = Math.max(size.height, y + (members.get(id)?.height ?? 0));
  }
  return { places, size };
}

/**
 * Returns the position of each node on the grid. `origin` is the top left corner of the layout. `edges` must
 * not contain feedback. The flow is wrapped into lines if it is wider than `most`, in pixels; a loop if it is
 * wider than `mostInside`.
 */
export function layered(
  nodes: readonly LayoutNode[],
  edges: readonly LayeredEdge[],
  regions: readonly LayeredRegion[],
  origin: Point,
  most = Number.POSITIVE_INFINITY,
  mostInside = most,
): Map<string, Point> {
  const frames = framesOf(nodes, regions);
  const inFrames = new Map<string, Map<string, Point>>();
  for (const frame of frames.order) {
    const { places, size } = layoutFrame(frame, frames, edges, frame === ROOT ? most : mostInside);
    inFrames.set(frame, places);
    if (frame === ROOT) continue;
    frames.members.get(frames.around.get(frame) ?? ROOT)?.set(frame, {
      width: size.width + PADDING.left + PADDING.right,
      height: size.height + PADDING.top + PADDING.bottom,
    });
  }
  const found = new Map<string, Point>();
  const walk = (frame: string, x: number, y: number) => {
    for (const [id, at] of inFrames.get(frame) ?? []) {
      if (inFrames.has(id)) walk(id, x + at.x + PADDING.left, y + at.y + PADDING.top);
      else found.set(id, { x: x + at.x, y: y + at.y });
    }
  };
  walk(ROOT, 0, 0);
  const points = [...found.values()];
  const left = Math.min(...points.map((at) => at.x));
  const top = Math.min(...points.map((at) => at.y));
  return new Map(
    [...found].map(([id, at]) => [
      id,
      { x: snap(origin.x + at.x - left, GRID), y: snap(origin.y + at.y - top, GRID) },
    ]),
  );
}

/** The number of nodes below which a new layout is animated. With more nodes it is shown immediately. */
export const ANIMATE_BELOW = 150;

/** Returns a point between `from` and `to`, eased at both ends; `t` is from 0 to 1. */
export function interpolate(from: Point, to: Point, t: number): Point {
  const eased = t * t * (3 - 2 * t);
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased };
}
