// A small drawing of a document: nodes in columns by their distance from the start, wires, and a hull around
// each loop. Pure.
import type { FlowDoc, FlowNode, KindInfo, Region, ValueType } from "../../ipc/generated/bindings";
import { isOfLoop } from "../../kernels/loop-kind";

export const TILE = { width: 27, height: 21 };
const STEP = { x: 39, y: 38 };
/** The padding around the drawing, in the drawing's units. */
const PAD = 12;

type Ends = { source: string; target: string };

export type MiniNode = {
  id: string;
  icon: string;
  tone: string;
  loops: boolean;
  stack: boolean;
  x: number;
  y: number;
};
export type MiniWire = { id: string; path: string; type: ValueType | "feedback" };
export type MiniHull = { id: string; x: number; y: number; width: number; height: number };
export type MiniGraph = {
  nodes: MiniNode[];
  wires: MiniWire[];
  hulls: MiniHull[];
  width: number;
  height: number;
};

/**
 * Returns the column of each node: one more than the highest column of its predecessors. Feedback wires do
 * not count.
 */
export function columnsOf(ids: readonly string[], edges: readonly Ends[]): Map<string, number> {
  const columns = new Map(ids.map((id) => [id, 0]));
  // As many passes as there are nodes are enough for the longest path. The limit also ends the search in a
  // cycle that is not a loop.
  for (let pass = 0; pass < ids.length; pass++) {
    let moved = false;
    for (const { source, target } of edges) {
      const from = columns.get(source);
      const to = columns.get(target);
      if (from === undefined || to === undefined || source === target || to > from) continue;
      columns.set(target, Math.min(from + 1, ids.length));
      moved = true;
    }
    if (!moved) break;
  }
  return columns;
}

/** Returns the row of each node within its column, ordered by its vertical position on the canvas. */
function rowsOf(nodes: readonly FlowNode[], columns: ReadonlyMap<string, number>): Map<string, number> {
  const filled = new Map<number, number>();
  const rows = new Map<string, number>();
  for (const { id } of [...nodes].sort((a, b) => a.position.y - b.position.y)) {
    const column = columns.get(id) ?? 0;
    const row = filled.get(column) ?? 0;
    rows.set(id, row);
    filled.set(column, row + 1);
  }
  return rows;
}

export function miniGraph(
  document: FlowDoc,
  byType: ReadonlyMap<string, KindInfo>,
  regions: readonly Region[],
): MiniGraph {
  const visible = document.nodes.filter((n) => byType.get(n.type)?.shape !== "annotation");
  const feedback = new Set(regions.flatMap((r) => r.feedbackEdges));
  const columns = columnsOf(
    visible.map((n) => n.id),
    document.edges.filter((e) => !feedback.has(e.id)),
  );
  const rows = rowsOf(visible, columns);
  const at = new Map(
    visible.map((n) => [
      n.id,
      {
        x: PAD + (columns.get(n.id) ?? 0) * STEP.x,
        y: PAD + 4 + (rows.get(n.id) ?? 0) * STEP.y,
      },
    ]),
  );
  const hulls = regions.flatMap((r) => hullOf(r, at));
  const inEach = new Set(regions.filter((r) => r.repeats === "each").flatMap((r) => r.body));
  const nodes = visible.map((n): MiniNode => {
    const kind = byType.get(n.type);
    const loops = kind !== undefined && isOfLoop(kind, byType);
    const place = at.get(n.id) ?? { x: 0, y: 0 };
    const stack = inEach.has(n.id);
    return {
      id: n.id,
      icon: kind?.icon ?? "box",
      tone: loops ? "loop" : (kind?.category ?? "io"),
      loops,
      stack,
      ...place,
    };
  });
  const wires = document.edges.flatMap((e): MiniWire[] => {
    const from = at.get(e.source);
    const to = at.get(e.target);
    if (!from || !to) return [];
    if (feedback.has(e.id)) {
      const hull = hulls.find((h) => regions.some((r) => r.start === h.id && r.feedbackEdges.includes(e.id)));
      return [{ id: e.id, type: "feedback", path: feedbackPath(from, to, hull) }];
    }
    const source = document.nodes.find((n) => n.id === e.source);
    const outputs = byType.get(source?.type ?? "")?.outputs ?? [];
    const handle = outputs.find((h) => h.name === e.sourceHandle) ?? outputs.find((h) => h.primary);
    return [{ id: e.id, type: handle?.valueType ?? "any", path: wirePath(from, to) }];
  });
  const right = Math.max(0, ...nodes.map((n) => n.x + TILE.width));
  const bottom = Math.max(0, ...nodes.map((n) => n.y + TILE.height), ...hulls.map((h) => h.y + h.height));
  return { nodes, wires, hulls, width: right + PAD, height: bottom + PAD };
}

type Place = { x: number; y: number };

function hullOf(region: Region, at: ReadonlyMap<string, Place>): MiniHull[] {
  if (region.repeats !== "loop") return [];
  const inside = [region.start, ...region.body, region.end].flatMap((id) =>
    id === null ? [] : (at.get(id) ?? []),
  );
  if (inside.length === 0) return [];
  const left = Math.min(...inside.map((p) => p.x)) - 7;
  const top = Math.min(...inside.map((p) => p.y)) - 10;
  const right = Math.max(...inside.map((p) => p.x)) + TILE.width + 7;
  // The lane below the body is for the feedback wire.
  const bottom = Math.max(...inside.map((p) => p.y)) + TILE.height + 20;
  return [{ id: region.start, x: left, y: top, width: right - left, height: bottom - top }];
}

function wirePath(from: Place, to: Place): string {
  const x1 = from.x + TILE.width;
  const y1 = from.y + TILE.height / 2;
  const x2 = to.x;
  const y2 = to.y + TILE.height / 2;
  if (x2 < x1) {
    // A wire to the next row of a wrapped drawing runs down between the rows and continues from the left.
    const lane = (y1 + y2) / 2;
    return `M${x1} ${y1}H${x1 + 5}V${lane}H${x2 - 5}V${y2}H${x2}`;
  }
  const bend = Math.max(5, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function feedbackPath(from: Place, to: Place, hull: MiniHull | undefined): string {
  const x1 = from.x + TILE.width;
  const y1 = from.y + TILE.height / 2 + 4;
  const lane = hull ? hull.y + hull.height - 8 : Math.max(from.y, to.y) + TILE.height + 12;
  const x2 = to.x;
  const y2 = to.y + TILE.height / 2 + 5;
  return `M${x1} ${y1}h4V${lane}H${x2 - 4}V${y2}H${x2}`;
}
