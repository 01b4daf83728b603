// A text of somebody else's as a person should see it who is asked about it: what has no width, turns the direction of writing
// or ends a line is written out, `\u{202e}`. The command line does the same (`cli/src/out.rs`).

/** Controls, direction of writing, and what has no width; the selectors that make a character an emoji stay. */
const HIDDEN = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Blanks that look like a space and are none, in a row of the same. */
const LOOK_ALIKE = /([\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000])\1*/gu;

/** Spaces that could push what follows out of sight. */
const MANY_SPACES = / {17,}/g;

const escaped = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;

/** The text with what nobody would see written out, blanks that look like others shown, and long rows of spaces counted. */
export function escapeInvisible(text: string): string {
  return text
    .replace(HIDDEN, escaped)
    .replace(LOOK_ALIKE, (row, char: string) =>
      row.length > 1 ? `${escaped(char)}×${row.length}` : escaped(char),
    )
    .replace(MANY_SPACES, (row) => `⟨${row.length} spaces⟩`);
}
