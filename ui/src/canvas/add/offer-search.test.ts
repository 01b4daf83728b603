// The matches of a node search, and their order.
// @vitest-environment node
import { expect, test } from "vitest";
import { nearness } from "./offer-search";

const offer = { title: "Map list", summary: "Runs a body for each item" };

test.each([
  ["", 0],
  [" Map", 0],
  ["list", 1],
  ["ist", 2],
  ["each ITEM", 3],
  ["loop", null],
])("“%s” is as near as %s", (words, near) => {
  expect(nearness(offer, words)).toBe(near);
});
