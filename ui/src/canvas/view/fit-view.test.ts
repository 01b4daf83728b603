// A fit leaves no card under the minimap, and is as large as that allows.
import { getViewportForBounds } from "@xyflow/react";
import { expect, test } from "vitest";
import { type Box, boundsOf } from "../../kernels/geometry";
import {
  cameraBeside,
  cameraForRun,
  cameraToRead,
  fitsReadable,
  isInView,
  READABLE,
  roomFor,
} from "./fit-view";

const frame = { width: 1000, height: 700, minZoom: 0.1 };
const corner = { width: 160, height: 110 };
const card = (left: number, top: number): Box => ({ left, top, right: left + 200, bottom: top + 150 });

/** Returns whether a card lies in the corner after the cards are fitted with this padding. */
function covers(cards: readonly Box[], room: ReturnType<typeof roomFor>): boolean {
  const { left, top, right, bottom } = boundsOf(cards) as Box;
  const rect = { x: left, y: top, width: right - left, height: bottom - top };
  const { x, y, zoom } = getViewportForBounds(rect, frame.width, frame.height, frame.minZoom, 1, room);
  return cards.some(
    (box) =>
      box.right * zoom + x > frame.width - corner.width &&
      box.bottom * zoom + y > frame.height - corner.height,
  );
}

test("the usual room stays where no card comes to the corner", () => {
  const cards = [card(0, 0), card(2600, 0), card(0, 1500)];
  expect(covers(cards, roomFor(cards, frame, null))).toBe(false);
  expect(roomFor(cards, frame, corner)).toEqual(roomFor(cards, frame, null));
});

test("a corner with a card in it is cleared beside or above, whichever shows the flow larger", () => {
  const usual = roomFor([card(0, 0)], frame, null);
  const wide = [card(0, 0), card(1500, 850)];
  const tall = [card(0, 0), card(1400, 1000)];
  for (const cards of [wide, tall]) {
    expect(covers(cards, usual)).toBe(true);
    expect(covers(cards, roomFor(cards, frame, corner))).toBe(false);
  }
  expect(roomFor(wide, frame, corner).right).toBe(usual.right);
  expect(roomFor(tall, frame, corner).bottom).toBe(usual.bottom);
});

/** Returns a canvas in xyflow's form, with cards of 200 by 150 at these places. */
function canvas(places: Record<string, [number, number]>, transform: [number, number, number] = [0, 0, 1]) {
  const nodes = Object.entries(places).map(([id, [x, y]]) => [
    id,
    { measured: { width: 200, height: 150 }, internals: { positionAbsolute: { x, y } } },
  ]);
  const state = { ...frame, domNode: null, transform, nodeLookup: new Map(nodes as never) };
  return state as unknown as Parameters<typeof cameraBeside>[0];
}
const row = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, [i * 300, 0] as [number, number]]));
const seenBy = (state: ReturnType<typeof canvas>, camera: ReturnType<typeof cameraBeside>) => {
  if (!camera) throw new Error("no camera");
  return { ...state, transform: [camera.x, camera.y, camera.zoom] as [number, number, number] };
};

test("a run of a flow that fits is shown whole", () => {
  const state = canvas(row(3));
  const seen = seenBy(state, cameraForRun(state, []));
  expect(fitsReadable(state)).toBe(true);
  expect(["n0", "n1", "n2"].every((id) => isInView(seen, id))).toBe(true);
});

test("a run of a large flow is shown at 85 %, from the beginning or where it is at work", () => {
  const state = canvas(row(20));
  expect(fitsReadable(state)).toBe(false);
  const begin = cameraForRun(state, []);
  expect(begin?.zoom).toBe(0.85);
  expect(isInView(seenBy(state, begin), "n0")).toBe(true);
  const lead = cameraForRun(state, ["n12"]);
  expect(lead?.zoom).toBe(READABLE);
  expect(isInView(seenBy(state, lead), "n12")).toBe(true);
});

test("what is to be read is shown large enough, what was added at the zoom that is there", () => {
  const far = canvas(row(20), [30, 300, 0.15]);
  const shown = cameraToRead(far, ["n12"]);
  expect(shown?.zoom).toBe(READABLE);
  expect(isInView(seenBy(far, shown), "n12")).toBe(true);
  expect(cameraBeside(far, ["n12"])).toEqual({ x: 30, y: 300, zoom: 0.15 });
  const near = canvas(row(20), [0, 100, 1]);
  expect(cameraBeside(near, ["n3"])).toEqual({ x: -112, y: 100, zoom: 1 });
});

test("what is larger than the canvas is read smaller, and beside it the view stays", () => {
  const state = canvas(row(20), [0, 100, 1]);
  const camera = cameraToRead(state, ["n0", "n9"]);
  const seen = seenBy(state, camera);
  expect(camera?.zoom).toBeLessThan(0.4);
  expect(isInView(seen, "n0") && isInView(seen, "n9")).toBe(true);
  expect(cameraBeside(state, ["n0", "n9"])).toEqual({ x: 0, y: 100, zoom: 1 });
  expect(cameraBeside(state, ["n6", "n15"])).toEqual({ x: -1788, y: 100, zoom: 1 });
});
