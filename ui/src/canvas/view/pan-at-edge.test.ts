// A wire being drawn pans the view at the edge of the canvas, faster the closer it is to the edge, and not
// outside the canvas.
import { expect, test } from "vitest";
import { panSpeed } from "./pan-at-edge";

const canvas = { left: 200, top: 50, width: 800, height: 600 };

test.each([
  ["in the middle", { x: 600, y: 350 }, { x: 0, y: 0 }],
  ["at the left edge", { x: 200, y: 350 }, { x: 1, y: 0 }],
  ["close to the right edge", { x: 980, y: 350 }, { x: -0.5, y: 0 }],
  ["in a corner", { x: 1000, y: 650 }, { x: -1, y: -1 }],
  ["over the panel beside it", { x: 1100, y: 350 }, { x: 0, y: 0 }],
  ["over the bar above it, at its left edge", { x: 200, y: 20 }, { x: 0, y: 0 }],
])("%s", (_, at, speed) => {
  expect(panSpeed(at, canvas)).toEqual(speed);
});
