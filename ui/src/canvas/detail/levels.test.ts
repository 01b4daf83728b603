// The level of detail of a flow at each zoom.
import { expect, test } from "vitest";
import { levelOf, limitsOf } from "./levels";

const level = (nodes: number, zoom: number) => levelOf(limitsOf(nodes), zoom);

test("a small flow loses its words far away and stays cards", () => {
  expect(level(60, 0.28)).toBe("full");
  expect(level(60, 0.27)).toBe("wordless");
});

test("a large flow becomes a bitmap, and sooner", () => {
  expect(level(61, 0.42)).toBe("full");
  expect(level(61, 0.41)).toBe("bitmap");
});

test("a flow of which only the visible part is mounted can be made smaller", () => {
  expect(limitsOf(120)).toMatchObject({ onlyVisible: false, minZoom: 0.15 });
  expect(limitsOf(121)).toMatchObject({ onlyVisible: true, minZoom: 0.05 });
});
