// When xyflow needs a view moved by hand, and when it can wait.
import type { ReactFlowState } from "@xyflow/react";
import { expect, test } from "vitest";
import { mustSettle } from "./current-view";
import { limitsOf } from "./levels";

type Transform = ReactFlowState["transform"];

const flowAt = (transform: Transform, more: object = {}): ReactFlowState =>
  ({
    transform,
    connection: { inProgress: false },
    userSelectionActive: false,
    ...more,
  }) as unknown as ReactFlowState;

const small = limitsOf(10);
const large = limitsOf(500);

test("the overview bitmap shows all cards, and waits however far the view goes", () => {
  expect(mustSettle(flowAt([0, 0, 0.2]), [-700, 0, 0.25], large)).toBe(false);
});

test("cards as elements come into view, and do not wait", () => {
  expect(mustSettle(flowAt([0, 0, 1]), [-1, 0, 1], large)).toBe(true);
  expect(mustSettle(flowAt([0, 0, 0.2]), [-1, 0, 0.2], small)).toBe(true);
});

test("another level of detail does not wait", () => {
  expect(mustSettle(flowAt([0, 0, 0.43]), [0, 0, 0.41], large)).toBe(true);
  expect(mustSettle(flowAt([0, 0, 0.41]), [0, 0, 0.43], large)).toBe(true);
});

test.each([
  ["a wire", { connection: { inProgress: true } }],
  ["a selection box", { userSelectionActive: true }],
])("%s that is being drawn needs the view at once", (_, more) => {
  expect(mustSettle(flowAt([0, 0, 0.2], more), [-1, 0, 0.2], large)).toBe(true);
});
