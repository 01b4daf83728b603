// An upper bound of a text's width. Pure: measuring in the page would make it lay out what it is about to draw.

/** Size of the grid's text, in pixels. */
const FONT_SIZE = 12;
/** Widths are parts of the font's size, and above those of Inter and of the usual system fonts. */
const NARROW = 0.4;
const USUAL = 0.68;
const WIDE = 1.1;

const widthOf = (code: number): number => {
  // a to z without m and w, 0 to 9.
  if ((code >= 97 && code <= 122 && code !== 109 && code !== 119) || (code >= 48 && code <= 57)) return USUAL;
  // The space, and ! ' , . : ;
  if ([32, 33, 39, 44, 46, 58, 59].includes(code)) return NARROW;
  return WIDE;
};

/** Whether a line of `text` is surely not wider than `width` pixels. A few texts that would just fit are not said to. */
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
