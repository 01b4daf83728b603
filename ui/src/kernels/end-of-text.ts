// The end of a text that grows, cut so that what is shown of it stays where it is. Pure.

/** Characters: how many are kept at least, and in what steps its beginning is left behind; no more than `least`. */
export interface Kept {
  readonly least: number;
  readonly step: number;
}

/**
 * The end of a growing text. It begins at the same line, or else the same word, while the text grows by a step, so that its
 * lines stay where they are and more can be added to it.
 */
export function endOf(text: string, { least, step }: Kept): string {
  const from = Math.floor((text.length - least) / step) * step;
  if (from <= 0) return text;
  return `…${text.slice(cutFrom(text, from, step))}`;
}

/** The first end of a line in the `reach` characters from `at` on, else of a word, else `at`; the beginning if that is before. */
export function cutFrom(text: string, at: number, reach: number): number {
  if (at <= 0) return 0;
  const near = text.slice(at, at + reach);
  const line = near.indexOf("\n");
  const end = line === -1 ? near.search(/\s/) : line;
  return at + Math.max(0, end);
}
