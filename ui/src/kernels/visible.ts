// Makes all characters of foreign text visible to a user who must decide about it. Zero-width characters,
// direction controls and line ends are escaped: `\u{202e}`. The command line does the same
// (`cli/src/out.rs`).

/** Matches control, direction and zero-width characters. Variation selectors of emoji are allowed. */
const HIDDEN = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Matches runs of characters that look like a space but are different characters. */
const LOOK_ALIKE = /([\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000])\1*/gu;

/** Matches spaces that could push the following text out of sight. */
const MANY_SPACES = / {17,}/g;

const escaped = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;

/**
 * Returns the text with invisible characters escaped, unusual blanks shown, and long runs of spaces counted.
 */
export function escapeInvisible(text: string): string {
  return text
    .replace(HIDDEN, escaped)
    .replace(LOOK_ALIKE, (row, char: string) =>
      row.length > 1 ? `${escaped(char)}×${row.length}` : escaped(char),
    )
    .replace(MANY_SPACES, (row) => `⟨${row.length} spaces⟩`);
}
