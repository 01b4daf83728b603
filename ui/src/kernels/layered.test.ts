// The layered layout with dagre: no card covers another, wires lead to the right, and loops stay together
// with space around them.
import { describe, expect, it } from "vitest";
import { type Box, overlaps } from "./geometry";
import { interpolate, type LayeredEdge, layered } from "./layered";

const node = (id: string) => ({ id, width: 196, height: 120, position: { x: 0, y: 0 } });
const edge = (source: string, target: string): LayeredEdge => ({
  source,
  target,
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

const layout = (origin = { x: 0, y: 0 }, some: readonly string[] = ids) =>
  layered(some.map(node), edges, regions, origin);

describe("the layered layout", () => {
  it("covers nothing, runs to the right and keeps a loop apart", () => {
    const places = layout();
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
    // There is space for the hull between the outside nodes and the loop.
    const gap = (boxes.get("loop")?.left ?? 0) - (boxes.get("input")?.right ?? 0);
    expect(gap).toBeGreaterThanOrEqual(62);
  });
  it("lays out a part around the corner that it is given, on the grid", () => {
    const places = layout({ x: 400, y: 203 }, ["draft", "critique"]);
    expect(Math.min(...[...places.values()].map(({ x }) => x))).toBe(400);
    expect(Math.min(...[...places.values()].map(({ y }) => y))).toBe(200);
    for (const { x, y } of places.values()) expect([x % 20, y % 20]).toEqual([0, 0]);
  });
  it("moves from where a node stood to where it goes", () => {
    expect(interpolate({ x: 0, y: 10 }, { x: 100, y: 30 }, 0)).toEqual({ x: 0, y: 10 });
    expect(interpolate({ x: 0, y: 10 }, { x: 100, y: 30 }, 0.5)).toEqual({ x: 50, y: 20 });
    expect(interpolate({ x: 0, y: 10 }, { x: 100, y: 30 }, 1)).toEqual({ x: 100, y: 30 });
  });
});
