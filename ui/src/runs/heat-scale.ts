// The five steps of heat, from little to most. Pure.

/** 1 to 5: the share that a value has of the most. */
export function heatOf(value: number, most: number): number {
  if (most <= 0) return 1;
  return Math.min(5, Math.max(1, Math.ceil((value / most) * 5)));
}
