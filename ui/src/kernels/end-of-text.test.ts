// The kept end of growing text, and that it stays in place.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { endOf } from "./end-of-text";

describe("the end of a growing text", () => {
  const KEPT = { least: 1200, step: 400 };
  const words = "harbour seldom carries winter letters ".repeat(100);

  test("is about as long as there is room for, and whole words", () => {
    for (const length of [1700, 2000, 2500, 3500]) {
      const end = endOf(words.slice(0, length), KEPT);
      expect(end).toMatch(/^… /);
      expect(end.length).toBeGreaterThan(1100);
      expect(end.length).toBeLessThan(1700);
      expect(words.slice(0, length).endsWith(end.slice(1))).toBe(true);
    }
    expect(endOf("short", KEPT)).toBe("short");
  });

  test("only grows until a step is full", () => {
    const ends = Array.from({ length: 400 }, (_, i) => endOf(words.slice(0, 2000 + i), KEPT));
    expect(ends.every((end, i) => i === 0 || end.startsWith(ends[i - 1] ?? ""))).toBe(true);
  });

  test("begins with a line where it can", () => {
    const lines = words.replaceAll("letters ", "letters\n");
    const end = endOf(lines.slice(0, 2500), KEPT);
    expect(end.startsWith("…\n")).toBe(true);
    expect(lines.slice(0, 2500).endsWith(end.slice(1))).toBe(true);
  });

  test("a text without a space is cut anywhere", () => {
    const end = endOf("x".repeat(2500), KEPT);
    expect(end).toBe(`…${"x".repeat(1300)}`);
  });
});
