// When xyflow must get a view that a hand moves, and when it can wait.
import type { ReactFlowState } from "@xyflow/react";
import { expect, test } from "vitest";
import { mustSettle } from "./current-view";
import { limitsOf } from "./levels";

type Transform = ReactFlowState["transform"];

/** A view of 800 by 600 with one card of 100 by 50 at `x`. */
const flowAt = (transform: Transform, x: number, more: object = {}): ReactFlowState =>
  ({
    transform,
    width: 800,
    height: 600,
    connection: { inProgress: false },
    userSelectionActive: false,
    nodeLookup: new Map([
      ["a", { measured: { width: 100, height: 50 }, internals: { positionAbsolute: { x, y: 100 } } }],
    ]),
    ...more,
  }) as unknown as ReactFlowState;

const small = limitsOf(10);
const large = limitsOf(500);
const LONG = 1000;

test("a small step with no new card waits", () => {
  expect(mustSettle(flowAt([0, 0, 1], 100), [-60, 0, 1], small, LONG)).toBe(false);
});

test("a card that comes into view does not wait", () => {
  expect(mustSettle(flowAt([0, 0, 1], 820), [-60, 0, 1], small, LONG)).toBe(true);
});

test("a long way does not wait, so that wires come into view", () => {
  expect(mustSettle(flowAt([0, 0, 1], 100), [-81, 0, 1], small, LONG)).toBe(true);
  expect(mustSettle(flowAt([0, 0, 1], 100), [0, 0, 1.3], small, LONG)).toBe(true);
});

test("steps of a zoom wait for each other", () => {
  expect(mustSettle(flowAt([0, 0, 1], 100), [0, 0, 1.3], small, 10)).toBe(false);
});

test("another level of detail does not wait", () => {
  expect(mustSettle(flowAt([0, 0, 0.43], 100), [0, 0, 0.41], large, 10)).toBe(true);
});

test("the overview bitmap shows all cards, and waits however far the view goes", () => {
  expect(mustSettle(flowAt([0, 0, 0.2], 5000), [-700, 0, 0.2], large, LONG)).toBe(false);
});

test.each([
  ["a wire", { connection: { inProgress: true } }],
  ["a selection box", { userSelectionActive: true }],
])("%s that is being drawn needs the view at once", (_, more) => {
  expect(mustSettle(flowAt([0, 0, 1], 100, more), [-1, 0, 1], small, LONG)).toBe(true);
});
