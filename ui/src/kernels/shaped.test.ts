// A layout has the shape of the canvas: neither a tower nor an unreadably long row.
import { describe, expect, it } from "vitest";
import { type Box, boundsOf, overlaps } from "./geometry";
import { shapedLayout, zoomOf } from "./shaped";

const size = { width: 196, height: 150 };
const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const nodesOf = (ids: readonly string[]) => ids.map((id) => ({ id, ...size, position: { x: 0, y: 0 } }));
const chain = (ids: readonly string[]) =>
  ids.slice(1).map((id, i) => ({ source: ids[i] as string, target: id }));
const area = { width: 912, height: 800 };

function laidOut(
  ids: readonly string[],
  regions: { start: string; nodes: string[]; depth: number }[] = [],
  of = area,
) {
  const nodes = nodesOf(ids);
  const places = shapedLayout(nodes, chain(ids), regions, { x: 0, y: 0 }, of);
  const boxes = new Map(
    [...places].map(([id, { x, y }]): [string, Box] => [
      id,
      { left: x, top: y, right: x + size.width, bottom: y + size.height },
    ]),
  );
  return { zoom: zoomOf(places, nodes, of), boxes, bounds: boundsOf([...boxes.values()]) as Box };
}

const covered = (boxes: ReadonlyMap<string, Box>) =>
  [...boxes].some(([a, one]) => [...boxes].some(([b, other]) => a < b && overlaps(one, other)));

describe("the shaped layout", () => {
  it("keeps a short flow in one row at 100 %", () => {
    const { zoom, boxes } = laidOut(names(3));
    expect(zoom).toBe(1);
    expect(new Set([...boxes.values()].map((box) => box.top)).size).toBe(1);
  });
  it.each([31, 60])("shows a chain of %i nodes in about the shape of the canvas", (count) => {
    const { zoom, boxes, bounds } = laidOut(names(count));
    const aspect = (bounds.right - bounds.left) / (bounds.bottom - bounds.top);
    expect(boxes.size).toBe(count);
    expect(covered(boxes)).toBe(false);
    expect(aspect).toBeGreaterThan(0.7);
    expect(aspect).toBeLessThan(2.2);
    expect(zoom).toBeGreaterThan(count === 31 ? 0.45 : 0.33);
  });
  it("follows the shape: a wide canvas gets fewer lines than a high one", () => {
    const lines = (of: typeof area) =>
      new Set([...laidOut(names(30), [], of).boxes.values()].map((box) => box.top)).size;
    expect(lines({ width: 1600, height: 500 })).toBeLessThan(lines({ width: 600, height: 1200 }));
  });
  it("keeps a loop together and others out of it", () => {
    const ids = names(40);
    const nodes = ids.slice(10, 22);
    const { boxes, zoom } = laidOut(ids, [{ start: "n10", nodes, depth: 0 }]);
    const hull = boundsOf(nodes.map((id) => boxes.get(id) as Box)) as Box;
    const strangers = [...boxes].filter(([id, box]) => !nodes.includes(id) && overlaps(box, hull));
    expect(strangers).toEqual([]);
    expect(covered(boxes)).toBe(false);
    expect(zoom).toBeGreaterThan(0.3);
  });
});
