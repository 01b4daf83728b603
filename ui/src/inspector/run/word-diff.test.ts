// The word diff: what is marked, what is folded, and how incomplete text is treated.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { beginning, countWords, wordDiff } from "./word-diff";

const marks = (before: string, after: string, streaming = false) =>
  wordDiff(before, after, streaming).pieces.map((p) => `${p.kind}:${p.text}`);

describe("wordDiff", () => {
  test("marks the words that changed and counts them", () => {
    const diff = wordDiff("yeast eats the sugars", "yeast feeds on the sugars");
    expect(diff).toMatchObject({ added: 2, removed: 1, coarse: "nothing" });
    expect(diff.pieces.filter((p) => p.kind === "ins").map((p) => p.text.trim())).toEqual(["feeds on"]);
    expect(diff.pieces.filter((p) => p.kind === "del").map((p) => p.text.trim())).toEqual(["eats"]);
  });

  test("a word that two changes share by chance does not part them", () => {
    expect(
      marks(
        "Yeast eats sugar and lets out a gas now.",
        "Yeast eats sugar and breathes out carbon dioxide now.",
      ),
    ).toEqual([
      "same:Yeast eats sugar and ",
      "del:lets out a gas",
      "ins:breathes out carbon dioxide",
      "same: now.",
    ]);
  });

  test("a stretch that weighs as much as what changed beside it stays", () => {
    expect(marks("I has an apple", "I have an orange")).toEqual([
      "same:I ",
      "del:has",
      "ins:have",
      "same: an ",
      "del:apple",
      "ins:orange",
    ]);
    expect(marks("a b c d", "a x c y").filter((m) => m.startsWith("same"))).toEqual(["same:a ", "same: c "]);
  });

  test("changes are not joined beyond the end of a sentence or a line", () => {
    for (const end of [". So ", "\nSo "]) {
      const kept = marks(
        `Everything was dark${end}nobody came`,
        `Everything stood bright${end}everyone stayed`,
      );
      expect(kept.some((m) => m.startsWith("same:") && m.includes("So"))).toBe(true);
    }
    const joined = marks("Everything was dark so nobody came", "Everything stood bright so everyone stayed");
    expect(joined.some((m) => m.startsWith("same:") && m.includes("so"))).toBe(false);
  });

  test("an apostrophe parts no word, and stays as it was written", () => {
    const { pieces } = wordDiff("They don't know it’s late.", "They don't see it's late.");
    const texts = (kind: string) => pieces.filter((p) => p.kind === kind).map(({ text }) => text);
    expect(texts("same").join("")).toContain("don't");
    expect(texts("del").join("")).toContain("it’s");
    expect(texts("ins").join("")).toContain("it's");
    expect(wordDiff("I dont know", "I don't know").pieces.map(({ text }) => text)).toContain("don't");
  });

  test("equal texts have no marks", () => {
    expect(marks("one two", "one two")).toEqual(["same:one two"]);
    expect(marks("", "")).toEqual([]);
  });

  test("what is new or gone altogether is one mark", () => {
    expect(marks("", "new text")).toEqual(["ins:new text"]);
    expect(marks("old text", "")).toEqual(["del:old text"]);
  });

  test("the marks rebuild both texts", () => {
    const before = "First.\n\nSecond has a word.\n\nThird.\n\nFourth stays here.";
    const after = "First.\n\nSecond has another word.\n\nThird.\n\nFourth stays there.";
    const { pieces } = wordDiff(before, after);
    const text = (drop: string) =>
      pieces
        .filter((p) => p.kind !== drop)
        .map((p) => p.text)
        .join("");
    expect(text("del")).toBe(after);
    expect(text("ins")).toBe(before);
  });

  test("folds unchanged paragraphs away from a change", () => {
    const { pieces } = wordDiff("One.\n\nTwo.\n\nThree old.", "One.\n\nTwo.\n\nThree new.");
    expect(pieces[0]).toEqual({ kind: "fold", text: "One.\n\nTwo.\n\n", amount: "2 unchanged paragraphs" });
  });

  test("while streaming, what is not yet reached is later, not deleted", () => {
    const { pieces, removed } = wordDiff("the dough rises in the warm oven", "the dough swells", true);
    expect(pieces.at(-1)).toEqual({ kind: "later", text: "in the warm oven" });
    expect(removed).toBe(1);
  });

  test("longer sentences than before do not reach further than what they say", () => {
    const before = "Yeast eats sugar. The gas lifts the dough. The oven sets it.";
    const after = "Yeast, which is alive, eats the sugar that it finds. The gas lifts";
    const { pieces } = wordDiff(before, after, true);
    expect(pieces.at(-1)).toEqual({ kind: "later", text: "the dough. The oven sets it." });
  });

  test("shorter sentences than before reach as far as what they say", () => {
    const before = "Yeast, which lives, eats sugar. The gas lifts the dough.";
    const { pieces } = wordDiff(before, "Yeast eats sugar. The gas", true);
    expect(pieces.at(-1)).toEqual({ kind: "later", text: "lifts the dough." });
  });

  test("while streaming, a text that has nothing in common is as far as it has words", () => {
    const { pieces } = wordDiff("one two three four", "uno dos", true);
    expect(pieces.at(-1)).toEqual({ kind: "later", text: "three four" });
  });

  test("folds unchanged lines where there are no paragraphs, and words where there are no lines", () => {
    const lines = Array.from({ length: 500 }, (_, i) => `line ${i} of many\n`).join("");
    const byLine = wordDiff(`${lines}old`, `${lines}new`).pieces;
    expect(byLine[0]).toMatchObject({ kind: "fold", amount: "497 unchanged lines" });
    expect(byLine[1]?.text).toBe("line 497 of many\nline 498 of many\nline 499 of many\n");
    const words = lines.replaceAll("\n", " ");
    const byWord = wordDiff(`${words}old`, `${words}new`).pieces;
    expect(byWord[0]).toMatchObject({ kind: "fold", amount: "1,960 unchanged words" });
  });

  test("says how much of it could not be compared by words", () => {
    const unlike = (mark: string) => Array.from({ length: 20_000 }, (_, i) => `${mark}${i}`).join(" ");
    expect(wordDiff(unlike("a"), unlike("b")).coarse).toBe("all");
    expect(wordDiff(`One.\n${unlike("a")}`, `One.\n${unlike("b")}`).coarse).toBe("parts");
  });
});

test("counts words, not punctuation", () => {
  expect(countWords("It’s a well-known fact – really, 3 times.")).toBe(7);
});

describe("beginning", () => {
  const long = (kind: "same" | "ins" | "del") => ({ kind, text: "x".repeat(100) }) as const;
  const fold = { kind: "fold", text: "y".repeat(1000), amount: "1 unchanged line" } as const;

  test("is all that there is room for, folds for nothing", () => {
    const pieces = [long("same"), fold, long("ins")];
    expect(beginning(pieces, 300)).toEqual({ visible: pieces, left: 0 });
  });

  test("cuts the last, and says how much is left over", () => {
    const { visible, left } = beginning([long("same"), fold, long("same"), long("same")], 150);
    expect(visible.map((p) => p.text.length)).toEqual([100, 1000, 51]);
    expect(left).toBe(150);
  });

  test("a long mark leaves room for what took its place", () => {
    const { visible, left } = beginning([long("del"), long("ins")], 100);
    expect(visible.map((p) => p.text.length)).toEqual([51, 51]);
    expect(left).toBe(100);
  });
});
