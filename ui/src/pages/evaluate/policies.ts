// The exit policies that the explorer tries.

const STABLE = [0.9, 0.95, 0.98];
const PATIENCE_STEPS = [1, 2];
const PLATEAU = [0.1, 0.3];

/**
 * Returns the exit policies to compare: each limit from 1 to `cap`; stable outputs, with several thresholds
 * and several numbers of iterations that must agree; and score plateaus with several thresholds.
 */
export function gridOf(cap: number): string[] {
  return [
    ...Array.from({ length: cap }, (_, i) => `cap=${i + 1}`),
    ...STABLE.flatMap((similarity) =>
      PATIENCE_STEPS.map((patience) => `stable=${similarity},patience=${patience},cap=${cap}`),
    ),
    ...PLATEAU.map((delta) => `plateau=${delta},patience=2,cap=${cap}`),
  ];
}
