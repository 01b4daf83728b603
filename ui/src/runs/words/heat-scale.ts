// The five heat levels, from low to high. Pure.

/** If the lowest value is at least this share of the highest, all values get level 1. */
const ALIKE = 0.8;

/**
 * Returns the heat level of a value, from 1 to 5, according to its share of `most`, the highest of the
 * compared values. `least` is the lowest. If the two are similar, the level is 1.
 */
export function heatOf(value: number, most: number, least = 0): number {
  if (most <= 0 || least >= most * ALIKE) return 1;
  return Math.min(5, Math.max(1, Math.ceil((value / most) * 5)));
}
