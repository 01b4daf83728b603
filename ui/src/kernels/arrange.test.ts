// Aligning, distributing, and snapping of a dragged box.
import { describe, expect, it } from "vitest";
import { ALIGNMENTS, aligned, distributed } from "./arrange";
import type { Box } from "./geometry";
import { snapped } from "./guides";

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

const boxes = new Map([
  ["a", box(0, 0, 100, 50)],
  ["b", box(300, 40, 60, 100)],
  ["c", box(120, 200, 80, 20)],
]);

describe("aligning", () => {
  it("shares an edge or a middle and leaves the other axis alone", () => {
    const places = Object.fromEntries(
      ALIGNMENTS.map((how) => [how, [...aligned(boxes, how).values()].map(({ x, y }) => [x, y])]),
    );
    expect(places).toEqual({
      left: [
        [0, 0],
        [0, 40],
        [0, 200],
      ],
      centre: [
        [130, 0],
        [150, 40],
        [140, 200],
      ],
      right: [
        [260, 0],
        [300, 40],
        [280, 200],
      ],
      top: [
        [0, 0],
        [300, 0],
        [120, 0],
      ],
      middle: [
        [0, 85],
        [300, 60],
        [120, 100],
      ],
      bottom: [
        [0, 170],
        [300, 120],
        [120, 200],
      ],
    });
  });
  it("distributes with equal gaps and keeps the outermost", () => {
    expect(Object.fromEntries(distributed(boxes, "x"))).toEqual({
      a: { x: 0, y: 0 },
      c: { x: 160, y: 200 },
      b: { x: 300, y: 40 },
    });
    const down = distributed(boxes, "y");
    expect(down.get("a")?.y).toBe(0);
    expect(down.get("c")?.y).toBe(200);
    expect(down.get("b")?.y).toBe(75);
    expect(distributed(new Map(), "x").size).toBe(0);
  });
});

describe("snapping", () => {
  it("moves to the nearest edge or middle, and draws a line over all that share it", () => {
    const moving = box(103, 300, 100, 50);
    const { by, guides } = snapped(moving, [box(0, 0, 100, 50), box(100, 100, 40, 40)], 6);
    expect(by).toEqual({ x: -3, y: 0 });
    expect(guides).toEqual([{ axis: "x", at: 100, from: -12, to: 362 }]);
  });
  it("snaps both ways at once and not beyond its reach", () => {
    const { by, guides } = snapped(box(204, 52, 100, 50), [box(0, 50, 100, 50), box(200, 300, 40, 40)], 6);
    expect(by).toEqual({ x: -4, y: -2 });
    expect(guides.map(({ axis, at }) => [axis, at])).toEqual([
      ["x", 200],
      ["y", 50],
    ]);
    expect(snapped(box(220, 90, 100, 50), [box(0, 0, 100, 50)], 6)).toEqual({
      by: { x: 0, y: 0 },
      guides: [],
    });
  });
});
