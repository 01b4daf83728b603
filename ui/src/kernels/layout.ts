// "Tidy up": places nodes in flow order, in columns by their distance from the start, and wraps full lines
// like text. A flow of eight nodes then fits a window at 100%.
import { GRID, type Point, snap } from "./geometry";
import type { Size } from "./placement";

export interface LayoutNode extends Size {
  id: string;
  position: Point;
}

/** The indent, in pixels, of all lines but the first. Wires reach these lines from the left. */
const INDENT = 60;

export interface LayoutEdge {
  source: string;
  target: string;
}

const GAP_X = 50;
const GAP_Y = 40;
const ROW_GAP = 80;

/**
 * Returns, for each node, the number of edges on the longest path to it from a start. `edges` must not
 * contain feedback.
 */
function depths(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Map<string, number> {
  const depth = new Map(nodes.map((node) => [node.id, 0]));
  // In an acyclic flow, nothing changes after as many rounds as there are nodes. The bound also ends the
  // search in a cyclic flow.
  for (let round = 0; round < nodes.length; round++) {
    let changed = false;
    for (const { source, target } of edges) {
      const from = depth.get(source);
      const to = depth.get(target);
      if (from === undefined || to === undefined || to > from || source === target) continue;
      if (from + 1 >= nodes.length) continue;
      depth.set(target, from + 1);
      changed = true;
    }
    if (!changed) break;
  }
  return depth;
}

/**
 * Returns new positions on the grid. `width` is the width at which lines wrap. `scopeOf` returns the node
 * that opens the region around a node. The wrapped lines of a region start below that node, so that no other
 * node lies in the region.
 */
export function wrappedLayout(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  width: number,
  scopeOf: (id: string) => string | null = () => null,
): Map<string, Point> {
  const connected = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
  const depth = depths(nodes, edges);
  const columns: LayoutNode[][] = [];
  for (const node of nodes) {
    if (!connected.has(node.id) && nodes.length > 1) continue;
    const column = depth.get(node.id) ?? 0;
    columns[column] = [...(columns[column] ?? []), node];
  }
  const filled = columns.filter((column) => column !== undefined && column.length > 0);
  for (const column of filled)
    column.sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);

  const origin = {
    x: snap(Math.min(...nodes.map((node) => node.position.x), Number.POSITIVE_INFINITY)),
    y: snap(Math.min(...nodes.map((node) => node.position.y), Number.POSITIVE_INFINITY)),
  };
  const places = new Map<string, Point>();
  let x = origin.x;
  let lineTop = origin.y;
  let lineHeight = 0;
  for (const column of filled) {
    const columnWidth = Math.max(...column.map((node) => node.width));
    if (x > origin.x && x + columnWidth > origin.x + width) {
      lineTop = snap(lineTop + lineHeight + ROW_GAP + GRID / 2);
      const scope = column.map((node) => scopeOf(node.id)).find((id) => id !== null);
      x = ((scope && places.get(scope)?.x) || origin.x) + INDENT;
      lineHeight = 0;
    }
    let y = lineTop;
    for (const node of column) {
      places.set(node.id, { x: snap(x), y: snap(y) });
      y += snap(node.height + GAP_Y + GRID / 2);
    }
    lineHeight = Math.max(lineHeight, y - lineTop - GAP_Y);
    x += snap(columnWidth + GAP_X + GRID / 2);
  }
  // Notes and other unconnected nodes are placed in a line below the flow.
  let looseX = origin.x;
  const looseTop = snap(lineTop + lineHeight + ROW_GAP + GRID / 2);
  for (const node of nodes) {
    if (places.has(node.id)) continue;
    places.set(node.id, { x: snap(looseX), y: looseTop });
    looseX += node.width + GAP_X;
  }
  return places;
}
