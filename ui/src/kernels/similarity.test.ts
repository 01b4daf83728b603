// Similarity as the engine defines it.
// @vitest-environment node
import { expect, test } from "vitest";
import { similarity } from "./similarity";

test.each([
  ["hello", "helo", 0.8],
  ["kitten", "sitting", 0.571],
  ["abc", "", 0],
  ["", "", 1],
  ["same", "same", 1],
  ["ab", "ba", 0],
  ["naïve 🙂", "naive 🙂", 1 - 1 / 7],
  ["abcdef", "abXdef", 1 - 1 / 6],
])("%s and %s", (a, b, value) => {
  expect(similarity(a, b)).toBeCloseTo(value, 3);
  expect(similarity(b, a)).toBeCloseTo(value, 3);
});

test("only the first ten thousand characters count", () => {
  const long = "x".repeat(10_000);
  expect(similarity(`${long}abc`, `${long}def`)).toBe(1);
});
