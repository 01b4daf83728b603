// The layered layout, with ELK itself: no card covers another, wires lead to the right, loops stand together with room around.
import ELK from "elkjs/lib/elk.bundled.js";
import { describe, expect, it } from "vitest";
import { type Box, overlaps } from "./geometry";
import { between, elkGraph, type LayeredEdge, placesOf } from "./layered";

const node = (id: string) => ({ id, width: 196, height: 120, position: { x: 0, y: 0 } });
const edge = (source: string, target: string): LayeredEdge => ({
  id: `${source}-${target}`,
  source,
  target,
  sourceY: 45,
  targetY: null,
});

const ids = ["input", "loop", "draft", "critique", "exit", "output", "note"];
const edges = [
  edge("input", "loop"),
  edge("loop", "draft"),
  edge("draft", "critique"),
  edge("critique", "exit"),
  edge("exit", "output"),
];
const regions = [{ start: "loop", nodes: ["loop", "draft", "critique", "exit"], depth: 0 }];

/** ELK is large, and takes a busy machine a while to load. */
const PATIENCE_MS = 60_000;

const elk = new ELK();

async function layout(origin = { x: 0, y: 0 }, some: readonly string[] = ids) {
  const graph = elkGraph(some.map(node), edges, regions);
  return placesOf(await elk.layout(graph), new Set(some), origin);
}

describe("the layered layout", { timeout: PATIENCE_MS }, () => {
  it("covers nothing, runs to the right and keeps a loop apart", async () => {
    const places = await layout();
    expect([...places.keys()].sort()).toEqual([...ids].sort());
    const boxes = new Map(
      [...places].map(([id, { x, y }]): [string, Box] => [
        id,
        { left: x, top: y, right: x + 196, bottom: y + 120 },
      ]),
    );
    for (const [a, one] of boxes)
      for (const [b, other] of boxes) if (a !== b) expect(overlaps(one, other)).toBe(false);
    for (const { source, target } of edges)
      expect((places.get(source)?.x ?? 0) + 196).toBeLessThan(places.get(target)?.x ?? 0);
    // Between what is outside and the loop there is room for the hull.
    const gap = (boxes.get("loop")?.left ?? 0) - (boxes.get("input")?.right ?? 0);
    expect(gap).toBeGreaterThanOrEqual(62);
  });
  it("lays out a part around the corner that it is given, on the grid", async () => {
    const places = await layout({ x: 400, y: 203 }, ["draft", "critique"]);
    expect(Math.min(...[...places.values()].map(({ x }) => x))).toBe(400);
    expect(Math.min(...[...places.values()].map(({ y }) => y))).toBe(200);
    for (const { x, y } of places.values()) expect([x % 20, y % 20]).toEqual([0, 0]);
  });
  it("moves from where a node stood to where it goes", () => {
    expect(between({ x: 0, y: 10 }, { x: 100, y: 30 }, 0)).toEqual({ x: 0, y: 10 });
    expect(between({ x: 0, y: 10 }, { x: 100, y: 30 }, 0.5)).toEqual({ x: 50, y: 20 });
    expect(between({ x: 0, y: 10 }, { x: 100, y: 30 }, 1)).toEqual({ x: 100, y: 30 });
  });
});
