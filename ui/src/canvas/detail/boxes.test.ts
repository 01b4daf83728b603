// Which boxes of the overview changed, and where.
import { expect, test } from "vitest";
import type { CanvasNode } from "../nodes";
import { OverviewBoxes } from "./boxes";

type State = Parameters<OverviewBoxes["update"]>[0];

const node = (id: string, x: number): CanvasNode =>
  ({ id, type: "card", position: { x, y: 0 }, data: data.get(id) ?? {} }) as CanvasNode;
const data = new Map(["a", "b", "c"].map((id) => [id, { node: { id } }]));
const stateOf = (nodes: CanvasNode[]): State =>
  ({
    nodes,
    nodeLookup: new Map(
      nodes.map((one) => [
        one.id,
        { measured: { width: 10, height: 10 }, internals: { positionAbsolute: one.position } },
      ]),
    ),
  }) as unknown as State;

test("a moved node is found, with where it was and is", () => {
  const boxes = new OverviewBoxes();
  const [a, b] = [node("a", 0), node("b", 100)];
  boxes.update(stateOf([a, b]), () => "card");
  expect(boxes.movedIn(stateOf([a, node("b", 130)]))).toEqual({
    nodes: ["b"],
    damage: [
      { left: 100, top: 0, right: 110, bottom: 10 },
      { left: 130, top: 0, right: 140, bottom: 10 },
    ],
  });
  expect(boxes.byClasses.get("card")?.get("b")?.left).toBe(130);
  expect(boxes.byClasses.get("card")?.get("a")?.left).toBe(0);
});

test("nodes that come, go or take another's place are looked at anew", () => {
  const boxes = new OverviewBoxes();
  const [a, b] = [node("a", 0), node("b", 100)];
  boxes.update(stateOf([a, b]), () => "card");
  expect(boxes.movedIn(stateOf([a, b, node("c", 200)]))).toBeNull();
  expect(boxes.movedIn(stateOf([a]))).toBeNull();
  expect(boxes.movedIn(stateOf([a, node("c", 100)]))).toBeNull();
});

test("a node that goes ahead of what xyflow was told is found by its name", () => {
  const boxes = new OverviewBoxes();
  const [a, b] = [node("a", 0), node("b", 100)];
  const state = stateOf([a, b]);
  boxes.update(state, () => "card");
  const internals = state.nodeLookup.get("b")?.internals as { positionAbsolute: { x: number; y: number } };
  internals.positionAbsolute = { x: 130, y: 0 };
  expect(boxes.movedIn(state)?.damage).toEqual([]);
  expect(boxes.moveTo(state, ["b", "gone"]).map(({ left }) => left)).toEqual([100, 130]);
  // The late report contains the position that the node already has.
  const changes = boxes.movedIn(stateOf([a, node("b", 130)]));
  expect(changes?.damage.map(({ left }) => left)).toEqual([130, 130]);
});
