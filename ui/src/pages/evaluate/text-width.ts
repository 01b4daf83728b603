// Estimates an upper bound of a text's width. Pure: measuring in the page would force a layout of elements
// that are not drawn yet.

/** The size of the grid's text, in pixels. */
const FONT_SIZE = 12;
/** Character widths as fractions of the font size, larger than those of Inter and the common system fonts. */
const NARROW = 0.4;
const USUAL = 0.68;
const WIDE = 1.1;

const widthOf = (code: number): number => {
  // The letters a to z except m and w, and the digits.
  if ((code >= 97 && code <= 122 && code !== 109 && code !== 119) || (code >= 48 && code <= 57)) return USUAL;
  // The space, and the characters ! ' , . : ;
  if ([32, 33, 39, 44, 46, 58, 59].includes(code)) return NARROW;
  return WIDE;
};

/**
 * Returns whether `text` in one line is certainly no wider than `width` pixels. May return false for text
 * that barely fits.
 */
export function surelyFits(text: string, width: number): boolean {
  const limit = width / FONT_SIZE;
  if (text.length * WIDE <= limit) return true;
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    sum += widthOf(text.charCodeAt(i));
    if (sum > limit) return false;
  }
  return true;
}
