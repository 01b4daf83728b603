// Cuts growing text so that its visible end does not jump. Pure.

/**
 * Sizes in characters. The beginning is dropped in steps of `step`, so that at least `least` characters are
 * left. The cut is then moved forward to the end of a line or a word, by at most `step`. `step` is at most
 * `least`.
 */
export interface Kept {
  readonly least: number;
  readonly step: number;
}

/**
 * Returns the end of growing text. While the text grows by less than a step, the result begins at the same
 * line, or at the same word if the lines are long. Its lines therefore stay in place, and text can be
 * appended.
 */
export function endOf(text: string, { least, step }: Kept): string {
  const from = Math.floor((text.length - least) / step) * step;
  if (from <= 0) return text;
  return `…${text.slice(cutFrom(text, from, step))}`;
}

/**
 * Returns the position after which to cut: the first line end within `reach` characters from `at`, otherwise
 * the first word end, otherwise `at`. Returns 0 if `at` is not positive.
 */
export function cutFrom(text: string, at: number, reach: number): number {
  if (at <= 0) return 0;
  const near = text.slice(at, at + reach);
  const line = near.indexOf("\n");
  const end = line === -1 ? near.search(/\s/) : line;
  return at + Math.max(0, end);
}
