// Geometry: outlines, hulls, routing, handles, placement, layout, wires, the minimap.
// @vitest-environment node
import { getBezierPath, Position } from "@xyflow/react";
import { describe, expect, it } from "vitest";
import type { HandleInfo } from "../ipc/generated/bindings";
import { type Box, frameOf, roundedPath, snapPoint } from "./geometry";
import { matchHandle } from "./handles";
import { feedbackLane, feedbackPath, hullBoxes, hullOf, rowsOf } from "./hull";
import { wrappedLayout } from "./layout";
import { type MapFrame, mapFrame } from "./minimap";
import { outlineOf } from "./outline";
import { freePlace, roomBetween } from "./placement";
import { crossingHeight } from "./routing";
import { distanceTo, pull } from "./wire";

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

describe("outline", () => {
  it("of one box is its four corners", () => {
    expect(outlineOf([box(0, 0, 10, 5)])).toEqual([
      [
        { x: 0, y: 0 },
        { x: 10, y: 0 },
        { x: 10, y: 5 },
        { x: 0, y: 5 },
      ],
    ]);
  });
  it("of two overlapping boxes is one polygon with the step between them", () => {
    const [polygon, ...others] = outlineOf([box(0, 0, 10, 5), box(0, 4, 6, 12)]);
    expect(others).toEqual([]);
    expect(polygon).toHaveLength(6);
    expect(polygon).toContainEqual({ x: 6, y: 5 });
  });
  it("of boxes apart is one polygon each, and a hole is no outline", () => {
    expect(outlineOf([box(0, 0, 1, 1), box(5, 5, 6, 6)])).toHaveLength(2);
    const frame = [box(0, 0, 9, 1), box(0, 8, 9, 9), box(0, 0, 1, 9), box(8, 0, 9, 9)];
    expect(outlineOf(frame)).toHaveLength(1);
  });
  it("of nothing is nothing", () => {
    expect(outlineOf([])).toEqual([]);
  });
});

describe("rounded path", () => {
  it("gives way where legs are short", () => {
    const path = roundedPath(
      [
        { x: 0, y: 0 },
        { x: 10, y: 0 },
        { x: 10, y: 100 },
      ],
      26,
    );
    expect(path).toBe("M0 0 L5 0 Q10 0 10 5 L10 100");
  });
});

describe("hull", () => {
  const loop = box(200, 120, 406, 376);
  const plan = box(460, 120, 644, 300);
  const router = box(260, 440, 432, 590);

  it("reads wrapped lines as rows", () => {
    expect(rowsOf([router, plan, loop])).toEqual([[loop, plan], [router]]);
  });
  it("holds every node and the lane below them", () => {
    const lane = feedbackLane(loop, [loop, plan, router], router);
    expect(lane).toEqual({ y: 620, left: 178, right: 454 });
    const boxes = hullBoxes([loop, plan, router], lane);
    for (const node of [loop, plan, router]) {
      const inside = (x: number, y: number) =>
        boxes.some((b) => x > b.left && x < b.right && y > b.top && y < b.bottom);
      expect(inside(node.left, node.top)).toBe(true);
      expect(inside(node.right, node.bottom)).toBe(true);
    }
    expect(Math.max(...boxes.map((b) => b.bottom))).toBeGreaterThan(lane.y);
  });
  it("steps in after a shorter row", () => {
    const hull = hullOf([loop, plan, router], null);
    expect(hull?.path.match(/Q/g)).toHaveLength(6);
  });
  it("keeps away from nodes beside it as far as its own allow", () => {
    const lane = feedbackLane(loop, [loop, plan], plan);
    const far = hullBoxes([loop, plan], lane);
    const near = hullBoxes([loop, plan], lane, [box(40, 120, 165, 250), box(664, 120, 800, 250)]);
    expect(Math.min(...far.map((b) => b.left))).toBeLessThan(165);
    expect(Math.min(...near.map((b) => b.left))).toBe(170);
    expect(Math.max(...near.map((b) => b.right))).toBeLessThan(664);
    const touching = hullBoxes([loop, plan], lane, [box(40, 120, 199, 250)]);
    expect(Math.min(...touching.map((b) => b.left))).toBeLessThan(lane.left);
  });
  it("is nothing without nodes", () => {
    expect(hullOf([], null)).toBeNull();
    // The end of the first row lies within a hull whose later rows are wider.
    const stepped = hullOf([box(0, 0, 200, 100), box(0, 300, 900, 400)], null);
    expect(stepped?.bounds.right).toBeGreaterThan(900);
    expect(stepped?.end).toBeLessThan(300);
  });
  it("leads the feedback wire under the body", () => {
    const lane = feedbackLane(loop, [loop, router], router);
    const path = feedbackPath({ x: 432, y: 492 }, { x: 200, y: 194 }, lane);
    expect(path).toContain(`${lane.y}`);
    expect(path.endsWith("L200 194")).toBe(true);
  });
});

describe("crossing height", () => {
  it("takes the widest free band", () => {
    const y = crossingHeight([box(0, 100, 100, 376), box(0, 440, 100, 600)], 0, 500, 172, 492);
    expect(y).toBeGreaterThan(376);
    expect(y).toBeLessThan(440);
  });
  it("is halfway where nothing is free or nothing stands", () => {
    expect(crossingHeight([box(0, 0, 100, 1000)], 0, 100, 100, 200)).toBe(150);
  });
});

describe("the handle that a name matches", () => {
  const handle = (name: string, primary = false): HandleInfo => ({
    name,
    label: name,
    valueType: "any",
    primary,
    many: false,
    always: false,
  });
  const outputs = [handle("done"), handle("continue", true)];
  it("is the named one, the branch of an index, else the primary one", () => {
    expect(matchHandle("done", outputs)?.name).toBe("done");
    expect(matchHandle("branch-0", outputs)?.name).toBe("done");
    expect(matchHandle("branch-7", outputs)?.name).toBe("continue");
    expect(matchHandle(null, outputs)?.name).toBe("continue");
    expect(matchHandle("data", [])).toBeNull();
  });
});

describe("placement", () => {
  it("is on the grid and overlaps nothing", () => {
    expect(snapPoint({ x: 29, y: 31 })).toEqual({ x: 20, y: 40 });
    const at = freePlace({ x: 3, y: 7 }, { width: 100, height: 80 }, [box(0, 0, 120, 90)]);
    expect(at.x).toBe(0);
    expect(at.y).toBeGreaterThanOrEqual(110);
    expect(at.y % 20).toBe(0);
  });
  it("is near on whatever side there is room", () => {
    const size = { width: 100, height: 80 };
    // A long column with free space only on its left.
    const column = [box(0, -900, 120, 900), box(140, -900, 260, 900)];
    expect(freePlace({ x: 20, y: 0 }, size, column)).toEqual({ x: -120, y: 0 });
    // Three of the four sides are occupied.
    const sides = [box(0, 0, 120, 90), box(0, 100, 120, 400), box(-400, 0, -10, 90), box(130, 0, 400, 90)];
    expect(freePlace({ x: 0, y: 0 }, size, sides)).toEqual({ x: 0, y: -100 });
  });
  it("is within a frame or without it, and not on it", () => {
    const size = { width: 100, height: 80 };
    const frame = frameOf(box(0, 0, 400, 300), 20);
    expect(freePlace({ x: 160, y: 100 }, size, frame)).toEqual({ x: 160, y: 100 });
    const at = freePlace({ x: 160, y: 240 }, size, frame);
    expect(at).toEqual({ x: 160, y: 180 });
    expect(freePlace({ x: 160, y: 290 }, size, frame).y).toBeGreaterThanOrEqual(320);
  });
  it("is further down where all that is near is taken", () => {
    const field = box(-2000, -2000, 2000, 2000);
    expect(freePlace({ x: 0, y: 0 }, { width: 100, height: 80 }, [field]).y).toBeGreaterThanOrEqual(2020);
  });
  it("between two cards moves the second one only as far as it must", () => {
    const size = { width: 100, height: 80 };
    const before = box(0, 0, 100, 80);
    const put = (x: number, y: number, behind: number) =>
      roomBetween({ x, y }, size, { before, after: box(behind, 0, behind + 100, 80) });
    expect(put(300, 0, 600)).toEqual({ at: { x: 300, y: 0 }, shift: 0 });
    expect(put(90, 0, 600)).toEqual({ at: { x: 140, y: 0 }, shift: 0 });
    expect(put(550, 0, 600)).toEqual({ at: { x: 460, y: 0 }, shift: 0 });
    expect(put(130, 0, 160)).toEqual({ at: { x: 140, y: 0 }, shift: 120 });
    // There is space above and below both cards. If a wire leads backwards, there is no gap to widen.
    expect(put(90, 200, 160)).toEqual({ at: { x: 100, y: 200 }, shift: 0 });
    expect(roomBetween({ x: 20, y: 0 }, size, { before, after: box(-300, 0, -200, 80) }).shift).toBe(0);
  });
});

describe("wrapped layout", () => {
  const nodes = ["a", "b", "c", "d"].map((id, i) => ({
    id,
    position: { x: 500 - i, y: i * 3 },
    width: 180,
    height: 120,
  }));
  const edges = [
    { source: "a", target: "b" },
    { source: "b", target: "c" },
    { source: "c", target: "d" },
  ];
  it("puts a chain in a line and wraps it where the line is full", () => {
    const wide = wrappedLayout(nodes, edges, 2000);
    expect(new Set([...wide.values()].map((p) => p.y)).size).toBe(1);
    const narrow = wrappedLayout(nodes, edges, 500);
    expect(narrow.get("a")?.y).toBe(narrow.get("b")?.y);
    expect(narrow.get("c")?.y).toBeGreaterThan(narrow.get("b")?.y ?? 0);
  });
  it("wraps a region's lines below the node that opens it", () => {
    const places = wrappedLayout(nodes, edges, 500, (id) => (id === "a" ? null : "b"));
    expect(places.get("c")?.x).toBeGreaterThan(places.get("b")?.x ?? 0);
  });
  it("never puts two nodes on one place and ends on a cycle", () => {
    const cyclic = [...edges, { source: "d", target: "a" }];
    const places = [...wrappedLayout(nodes, cyclic, 2000).values()].map((p) => `${p.x},${p.y}`);
    expect(new Set(places).size).toBe(4);
  });
});

describe("the minimap's frame", () => {
  const size = { width: 148, height: 96 };
  const nodes = { left: 0, top: 0, right: 1000, bottom: 200 };
  const within = (frame: MapFrame, box: Box) =>
    box.left >= frame.left &&
    box.top >= frame.top &&
    box.right <= frame.left + size.width * frame.scale &&
    box.bottom <= frame.top + size.height * frame.scale;

  it("shows the nodes and the view, with room around them, in the middle", () => {
    const view = { left: -300, top: -100, right: 500, bottom: 700 };
    const frame = mapFrame(nodes, view, size);
    expect(within(frame, nodes) && within(frame, view)).toBe(true);
    const [left, right] = [-300 - frame.left, frame.left + size.width * frame.scale - 1000];
    expect(left).toBeCloseTo(right);
    expect(left / frame.scale).toBeGreaterThan(4);
  });

  it("shows the view alone where there are no nodes", () => {
    const view = { left: 0, top: 0, right: 800, bottom: 600 };
    expect(within(mapFrame(null, view, size), view)).toBe(true);
  });
});

describe("a wire that runs forwards", () => {
  const course = { from: { x: 10, y: 20 }, to: { x: 210, y: 320 } };

  it("is the curve that xyflow draws", () => {
    const { from, to } = course;
    const [path] = getBezierPath({
      sourceX: from.x,
      sourceY: from.y,
      sourcePosition: Position.Right,
      targetX: to.x,
      targetY: to.y,
      targetPosition: Position.Left,
    });
    const by = pull(course);
    expect(path).toBe(`M${from.x},${from.y} C${from.x + by},${from.y} ${to.x - by},${to.y} ${to.x},${to.y}`);
  });

  it("is met on its way and missed beside it", () => {
    expect(distanceTo(course, { x: 110, y: 170 })).toBeLessThan(1);
    expect(distanceTo(course, course.from)).toBe(0);
    expect(distanceTo(course, { x: 160, y: 120 })).toBeGreaterThan(40);
    expect(distanceTo({ from: course.from, to: course.from }, { x: 13, y: 24 })).toBe(5);
  });
});
