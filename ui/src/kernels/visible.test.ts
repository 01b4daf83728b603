// All characters of a question are visible: those of zero width and those that change the writing direction
// are escaped.
import { expect, test } from "vitest";
import { escapeInvisible } from "./visible";

test("what nobody sees is written out", () => {
  expect(escapeInvisible("a\u202eb\u200bc\ufeff")).toBe("a\\u{202e}b\\u{200b}c\\u{feff}");
  expect(escapeInvisible("x\u{e0041}\u{e007f}\u3164")).toBe("x\\u{e0041}\\u{e007f}\\u{3164}");
  expect(escapeInvisible("one\ntwo\u2028\u001b[2K")).toBe("one\\u{a}two\\u{2028}\\u{1b}[2K");
});

test("what people write stays", () => {
  for (const text of ["Zoë, שלום, 日本", "1 → 2 …", "❤\ufe0f 🚀", ""])
    expect(escapeInvisible(text)).toBe(text);
});

test("blanks that look like others are shown, and long rows of them counted", () => {
  expect(escapeInvisible("a\u2800\u2800b\u00a0c\u3000")).toBe("a\\u{2800}×2b\\u{a0}c\\u{3000}");
  expect(escapeInvisible(`${" ".repeat(4000)}; rm`)).toBe("⟨4000 spaces⟩; rm");
  expect(escapeInvisible("    indented")).toBe("    indented");
});
