// A card grows no further than to the next one below it.
import { expect, test } from "vitest";
import { roomBelow } from "./room-below";

const at = (id: string, x: number, y: number) => ({ id, position: { x, y } });

test("the nearest card below limits the height, whichever side it begins on", () => {
  const room = roomBelow([at("a", 100, 0), at("right", 250, 300), at("left", 0, 200), at("deep", 100, 900)]);
  expect(room.get("a")).toBe(186);
  expect(room.get("left")).toBe(686);
});

test("cards beside it and above it do not", () => {
  const room = roomBelow([
    at("a", 300, 300),
    at("beside", 520, 400),
    at("above", 300, 0),
    at("level", 300, 310),
  ]);
  expect(room.has("a")).toBe(false);
  expect(room.has("beside")).toBe(false);
});
