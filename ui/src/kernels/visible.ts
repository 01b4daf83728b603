// A text of somebody else's as a person should see it who is asked about it: what has no width, turns the direction of writing
// or ends a line is written out, `\u{202e}`. The command line does the same (`cli/src/out.rs`).

/** Controls, direction of writing, and what has no width; the selectors that make a character an emoji stay. */
const HIDDEN = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with what nobody would see written out. */
export function escapeInvisible(text: string): string {
  return text.replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
