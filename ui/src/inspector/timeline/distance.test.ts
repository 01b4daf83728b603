// How close a condition is to being met.
import { describe, expect, test } from "vitest";
import type { Iteration } from "../../runs/fold/model";
import { distanceOf, lookupIn } from "./distance";

const iteration = {
  number: 3,
  inputPreview: "abc",
  resultPreview: "abcdef",
  scope: {
    steps: {
      critique: { preview: '{"score":7.6,"notes":["a","b"]}' },
      draft: { preview: "some text" },
      long: { preview: "cut…" },
    },
  },
} as unknown as Iteration;
const lookup = lookupIn(iteration);
const until = (expression: string) => distanceOf(expression, "until", lookup);

describe("distanceOf", () => {
  test.each([
    ["critique.score >= 8.5", "7.6 / 8.5", 7.6 / 8.5],
    ["result | length >= 12", "6 / 12", 0.5],
    ["critique.notes | length == 2", "2 / 2", 1],
    ["loopCount > 3", "3 / 3", 0.98],
    ["critique.score < 3.8", "7.6 / 3.8", 0.5],
    ["critique.score >= loopCount", "7.6 / 3", 1],
    ["draft.response | length > 18", "9 / 18", 0.5],
  ])("%s", (expression, says, near) => {
    expect(until(expression)?.says).toBe(says);
    expect(until(expression)?.near).toBeCloseTo(near, 5);
  });

  test.each([
    'result is containing(pat="x")',
    "a * 2 > 1",
    "unknown > 3",
    "long | length > 3",
    "result > 3",
    "",
  ])("%s has no figures", (expression) => expect(until(expression)).toBeNull());

  test("where all must hold the farthest counts, where any may the nearest", () => {
    expect(until("critique.score >= 8.5 and loopCount >= 6")?.says).toBe("3 / 6");
    expect(until("critique.score >= 8.5 or loopCount >= 6")?.says).toBe("7.6 / 8.5");
  });

  test("a while is about when it no longer holds", () => {
    expect(distanceOf("critique.score < 8.5", "while", lookup)).toEqual({
      says: "7.6 / 8.5",
      near: 7.6 / 8.5,
    });
    expect(distanceOf("loopCount < 3", "while", lookup)?.near).toBe(1);
    expect(distanceOf("critique.score < 8.5 and loopCount < 6", "while", lookup)?.says).toBe("7.6 / 8.5");
  });

  test("a router's rule reads the router's own input", () => {
    const own = lookupIn(iteration, { input: '{"score":4}' });
    expect(distanceOf("input.score >= 8", "until", own)?.says).toBe("4 / 8");
  });
});
