// The five steps of heat, from little to most. Pure.

/** Where the least is this share of the most, or more, nothing stands out. */
const ALIKE = 0.8;

/** 1 to 5: the share that a value has of the most; 1 where all are about alike. `least`: of what it stands beside. */
export function heatOf(value: number, most: number, least = 0): number {
  if (most <= 0 || least >= most * ALIKE) return 1;
  return Math.min(5, Math.max(1, Math.ceil((value / most) * 5)));
}
