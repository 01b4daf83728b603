// The area of a selection box, and what it selects.
import { beforeEach, expect, test } from "vitest";
import { useDocument } from "../../document/document";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";
import { chooseWithin, selectedArea } from "./deferred-selection";

type State = Parameters<typeof chooseWithin>[0];

const node = (id: string, x: number) => ({ id, type: "transform", position: { x, y: 0 }, data: {} });
const flow: FlowDoc = {
  nodes: [node("a", 0), node("b", 300), node("c", 600)],
  edges: [
    { id: "ab", source: "a", target: "b" },
    { id: "bc", source: "b", target: "c" },
  ],
};

/** Cards of 100 by 50 pixels in xyflow's form, and the ghost of a fix. */
const state = {
  nodes: [...flow.nodes.map((one) => ({ id: one.id, data: { node: one } })), { id: "ghost", data: {} }],
  nodeLookup: new Map(
    [...flow.nodes, node("ghost", 0)].map((one) => [
      one.id,
      { measured: { width: 100, height: 50 }, internals: { positionAbsolute: one.position } },
    ]),
  ),
} as unknown as State;

const chosen = () => {
  const { nodes, edges } = useSession.getState().selection;
  return { nodes: [...nodes].sort(), edges: [...edges].sort() };
};

beforeEach(() => {
  useDocument.getState().open({ document: flow, path: null, version: null });
  useSession.getState().select([]);
});

test("a box on the screen is told in pixels of the flow", () => {
  const rect = { x: 140, y: 70, width: 50, height: 25, startX: 0, startY: 0 };
  expect(selectedArea({ transform: [100, 50, 0.5], userSelectionRect: rect })).toEqual({
    left: 80,
    top: 40,
    right: 180,
    bottom: 90,
  });
  expect(selectedArea({ transform: [0, 0, 1], userSelectionRect: null })).toBeNull();
});

test("what it touches is chosen, with the wires at it, and what it left is not", () => {
  chooseWithin(state, { left: -10, top: -10, right: 310, bottom: 10 });
  expect(chosen()).toEqual({ nodes: ["a", "b"], edges: ["ab", "bc"] });
  chooseWithin(state, { left: -10, top: -10, right: 20, bottom: 10 });
  expect(chosen()).toEqual({ nodes: ["a"], edges: ["ab"] });
  chooseWithin(state, { left: -10, top: -10, right: -5, bottom: -5 });
  expect(chosen()).toEqual({ nodes: [], edges: [] });
});
