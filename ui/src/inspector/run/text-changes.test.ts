// Comparison by words, sentences and lines: both texts can be reconstructed, and most of the unchanged text
// is found.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { textChanges } from "./text-changes";

/**
 * Returns a generator of pseudorandom numbers from 0 to 1, with the same sequence on every machine (Park and
 * Miller).
 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const random = randomOf(7);
const WORDS = Array.from({ length: 400 }, (_, i) => `w${i}${"aeiou"[i % 5]}`);
const sentence = () =>
  Array.from({ length: 6 + Math.floor(random() * 12) }, () => WORDS[Math.floor(random() * 400)]).join(" ");
const text = (sentences: number, between = ". ") => Array.from({ length: sentences }, sentence).join(between);
const rewritten = (from: string, share: number, between = ". ") =>
  from
    .split(between)
    .map((one) => (random() < share ? sentence() : one))
    .join(between);

/** A time limit long enough that the result does not depend on the machine's speed. */
const NO_LIMIT_MS = 60_000;

/**
 * Removes all whitespace. The comparison ignores the whitespace between words, and unchanged text has the
 * whitespace of the newer text.
 */
const spaceless = (from: string) => from.replace(/\s+/g, "");

/** Checks that both texts can be restored from the changes, and returns how much of the text is unchanged. */
const compared = (before: string, after: string, mostMs = NO_LIMIT_MS) => {
  const { changes, coarse } = textChanges(before, after, mostMs);
  const without = (gone: "added" | "removed") =>
    changes
      .filter((c) => !c[gone])
      .map((c) => c.value)
      .join("");
  const stayed = changes.filter((c) => !c.added && !c.removed).reduce((n, c) => n + c.value.length, 0);
  const whole = without("removed") === after && spaceless(without("added")) === spaceless(before);
  return { whole, stayed: stayed / before.length, coarse };
};

describe("textChanges", () => {
  test.each([
    ["both empty", "", ""],
    ["nothing before", "", "a b"],
    ["nothing after", "a b\n", ""],
    ["equal", "a\nb\n", "a\nb\n"],
    ["one begins with the other", "a\nb", "a\nb c\nd"],
    ["one ends with the other", "b\nc", "a\nb\nc"],
    ["the same line again", "a\na\n", "a\na\na\n"],
    ["line breaks alone", "\n\n", "\n"],
    ["a first line break more", "\na", "a"],
  ])("rebuilds both texts: %s", (_, before, after) => {
    expect(compared(before, after)).toMatchObject({ whole: true, coarse: false });
  });

  test.each([10, 100, 1_000, 10_000])("rebuilds both of %i sentences, half of them new", (count) => {
    for (const between of [". ", ".\n", ".\n\n"]) {
      const before = text(count, between);
      const after = rewritten(before, 0.5, between);
      expect(compared(before, after, 50).whole).toBe(true);
    }
  });

  test("finds the half of a draft that stayed", () => {
    const before = text(120);
    expect(compared(before, rewritten(before, 0.5)).stayed).toBeGreaterThan(0.35);
  });

  test("finds what stayed of a text of a megabyte with few changes", () => {
    const before = text(15_000, ".\n");
    const after = rewritten(before, 0.01, ".\n");
    expect(compared(before, after).stayed).toBeGreaterThan(0.95);
  });

  test("finds one word that changed in the middle of a megabyte without a line break", () => {
    const [a, b] = [text(7_000), text(7_000)];
    expect(compared(`${a}. one here. ${b}`, `${a}. two here. ${b}`)).toMatchObject({ coarse: false });
  });

  test("two long texts with nothing in common are one replaced by the other", () => {
    const unlike = (mark: string) => Array.from({ length: 40_000 }, (_, i) => `${mark}${i}`).join(" ");
    expect(compared(unlike("a"), unlike("b"), 20)).toMatchObject({ coarse: true });
  });
});
