// A fit leaves no card under the minimap, and is as large as that allows.
import { getViewportForBounds } from "@xyflow/react";
import { expect, test } from "vitest";
import { type Box, boundsOf } from "../kernels/geometry";
import { roomFor } from "./fit-view";

const frame = { width: 1000, height: 700, minZoom: 0.1 };
const corner = { width: 160, height: 110 };
const card = (left: number, top: number): Box => ({ left, top, right: left + 200, bottom: top + 150 });

/** Whether a card lies in the corner once the cards are fitted with this room. */
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
