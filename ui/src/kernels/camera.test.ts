// The view moves as little as possible to show the relevant part.
import { expect, test } from "vitest";
import { centredCamera, isClear, nearestCamera, zoomThatFits } from "./camera";
import type { Box } from "./geometry";

const area = { free: { left: 10, top: 10, right: 990, bottom: 600 }, corner: null };
const box = (left: number, top: number, width = 200, height = 100): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

test("a box that is seen moves nothing", () => {
  const camera = { x: 0, y: 0, zoom: 1 };
  expect(nearestCamera(box(400, 300), camera, area)).toBe(camera);
});

test("a box partly outside is brought to the edge, not to the middle, at the same zoom", () => {
  const camera = { x: 0, y: 0, zoom: 1 };
  expect(nearestCamera(box(900, 300), camera, area)).toEqual({ x: -110, y: 0, zoom: 1 });
  expect(nearestCamera(box(-50, 580), camera, area)).toEqual({ x: 60, y: -80, zoom: 1 });
});

test("a box larger than the free area begins where that begins", () => {
  const camera = nearestCamera(box(0, 0, 3000, 100), { x: -500, y: 200, zoom: 1 }, area);
  expect(camera).toEqual({ x: 10, y: 200, zoom: 1 });
});

test("a box does not end up beneath what covers the corner", () => {
  const covered = { ...area, corner: { left: 800, top: 450, right: 1000, bottom: 620 } };
  const camera = nearestCamera(box(700, 440), { x: 0, y: 0, zoom: 1 }, covered);
  expect(isClear(box(700, 440), camera, covered)).toBe(true);
  expect(camera).toEqual({ x: 0, y: -90, zoom: 1 });
});

test("zoom and middle of a box", () => {
  expect(zoomThatFits(box(0, 0, 1960, 100), area)).toBe(0.5);
  expect(zoomThatFits(box(0, 0, 98, 1180), area)).toBe(0.5);
  expect(centredCamera(box(0, 0, 980, 100), 0.5, area)).toEqual({ x: 255, y: 280, zoom: 0.5 });
  // A box that does not fit starts at the edge.
  expect(centredCamera(box(100, 0, 5000, 100), 1, area).x).toBe(-90);
});
