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

/** Computes the distance with the textbook table algorithm. */
function plainDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, i) => i + 1);
  a.forEach((letter, i) => {
    let [diagonal, left] = [i, i + 1];
    row = row.map((above, j) => {
      const best = Math.min(above + 1, left + 1, diagonal + (letter === b[j] ? 0 : 1));
      [diagonal, left] = [above, best];
      return best;
    });
  });
  return row.at(-1) ?? a.length;
}

test("texts of any length, of few letters and of many", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (const alphabet of [["a", "b"], ["a", "b", "c", "ä", "🙂", "字"], [..."the quick brown fox jumps"]]) {
    for (const length of [1, 31, 32, 33, 64, 65, 100, 129]) {
      const text = (of: number) => Array.from({ length: of }, () => alphabet[random(alphabet.length)] ?? "");
      const a = text(length);
      const b = random(2) === 0 ? text(1 + random(140)) : a.map((c) => (random(5) === 0 ? "x" : c));
      const longer = Math.max(a.length, b.length);
      expect(similarity(a.join(""), b.join(""))).toBeCloseTo(1 - plainDistance(a, b) / longer, 10);
    }
  }
});
