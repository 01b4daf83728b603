// Laying a flow out in layers with ELK: the graph that it is given, and the places read from its answer. A loop and what is in
// it stand together in a frame of their own, with room for the hull and for the lane of the feedback wire, which is left out
// of the graph: it leads back.
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import { GRID, type Point, snap } from "./geometry";
import { HULL_PAD } from "./hull";
import type { LayoutNode } from "./layout";

/** A wire between sockets; heights of sockets keep wires straight. */
export interface LayeredEdge {
  id: string;
  source: string;
  target: string;
  /** From the upper edge of the card, in pixels; null where it is not known. */
  sourceY: number | null;
  targetY: number | null;
}

/** The nodes that stand within one frame. A node is in the innermost of those that name it. */
export interface LayeredRegion {
  start: string;
  nodes: readonly string[];
  depth: number;
}

/** Room for the lane of a feedback wire below what it leads back under, in pixels. */
const LANE = 56;

const PADDING = `[top=${HULL_PAD.top + 14},left=${HULL_PAD.left + 22},bottom=${HULL_PAD.bottom + LANE},right=${HULL_PAD.right + 22}]`;

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.layered.spacing.nodeNodeBetweenLayers": "60",
  "elk.spacing.nodeNode": "40",
  "elk.spacing.edgeNode": "24",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  // What the file says first comes first.
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.separateConnectedComponents": "true",
  "elk.spacing.componentComponent": "60",
};

const frameId = (start: string): string => `frame ${start}`;

function ports(id: string, node: LayoutNode, edges: readonly LayeredEdge[]): ElkNode["ports"] {
  const named = new Map<string, { id: string; x: number; y: number; width: number; height: number }>();
  for (const edge of edges) {
    if (edge.source === id && edge.sourceY !== null)
      named.set(`${id} out ${edge.sourceY}`, {
        id: `${id} out ${edge.sourceY}`,
        x: node.width,
        y: edge.sourceY,
        width: 0,
        height: 0,
      });
    if (edge.target === id && edge.targetY !== null)
      named.set(`${id} in ${edge.targetY}`, {
        id: `${id} in ${edge.targetY}`,
        x: 0,
        y: edge.targetY,
        width: 0,
        height: 0,
      });
  }
  return [...named.values()];
}

/** The graph for ELK. `edges` must hold no feedback. */
export function elkGraph(
  nodes: readonly LayoutNode[],
  edges: readonly LayeredEdge[],
  regions: readonly LayeredRegion[],
): ElkNode {
  const root: ElkNode = { id: "root", layoutOptions: OPTIONS, children: [], edges: [] };
  const frames = new Map<string, ElkNode>([["root", root]]);
  const around = new Map<string, string>();
  const outermostFirst = [...regions].sort((a, b) => a.depth - b.depth);
  const there = new Set(nodes.map((node) => node.id));
  for (const region of outermostFirst) {
    const own = region.nodes.filter((id) => there.has(id));
    if (own.length < 2) continue;
    const id = frameId(region.start);
    const frame: ElkNode = { id, layoutOptions: { "elk.padding": PADDING }, children: [] };
    frames.get(around.get(region.start) ?? "root")?.children?.push(frame);
    frames.set(id, frame);
    for (const node of own) around.set(node, id);
  }
  for (const node of nodes) {
    frames.get(around.get(node.id) ?? "root")?.children?.push({
      id: node.id,
      width: node.width,
      height: node.height,
      ports: ports(node.id, node, edges),
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    });
  }
  root.edges = edges
    .filter((edge) => there.has(edge.source) && there.has(edge.target) && edge.source !== edge.target)
    .map(
      (edge): ElkExtendedEdge => ({
        id: edge.id,
        sources: [edge.sourceY === null ? edge.source : `${edge.source} out ${edge.sourceY}`],
        targets: [edge.targetY === null ? edge.target : `${edge.target} in ${edge.targetY}`],
      }),
    );
  return root;
}

/** Where each node goes, on the grid, the upper left corner of all at `origin`. */
export function placesOf(laidOut: ElkNode, ids: ReadonlySet<string>, origin: Point): Map<string, Point> {
  const found = new Map<string, Point>();
  const walk = (node: ElkNode, x: number, y: number) => {
    const at = { x: x + (node.x ?? 0), y: y + (node.y ?? 0) };
    if (ids.has(node.id)) found.set(node.id, at);
    for (const child of node.children ?? []) walk(child, at.x, at.y);
  };
  walk(laidOut, 0, 0);
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

/** The longest time that a layout moves its nodes one by one before it is shown at once, by their number. */
export const ANIMATE_BELOW = 150;

/** Part of the way, eased at both ends; `t` from 0 to 1. */
export function between(from: Point, to: Point, t: number): Point {
  const eased = t * t * (3 - 2 * t);
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased };
}
