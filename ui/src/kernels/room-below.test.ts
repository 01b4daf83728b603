// A card does not grow into the next one below it.
import { expect, test } from "vitest";
import { roomBelow } from "./room-below";

const nodeAt = (id: string, x: number, y: number) => ({ id, position: { x, y } });

test("the nearest card below limits the height, whichever side it begins on", () => {
  const room = roomBelow([
    nodeAt("a", 100, 0),
    nodeAt("right", 250, 300),
    nodeAt("left", 0, 200),
    nodeAt("deep", 100, 900),
  ]);
  expect(room.get("a")).toBe(186);
  expect(room.get("left")).toBe(686);
});

test("cards beside it and above it do not", () => {
  const room = roomBelow([
    nodeAt("a", 300, 300),
    nodeAt("beside", 520, 400),
    nodeAt("above", 300, 0),
    nodeAt("level", 300, 310),
  ]);
  expect(room.has("a")).toBe(false);
  expect(room.has("beside")).toBe(false);
});
