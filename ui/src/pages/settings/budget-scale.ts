// The scale of the budget's slider, from one cent to five dollars. Each step multiplies the amount by the
// same factor. Pure.

export const SLIDER_STEPS = 100;
export const SLIDER_MARKS = [0.01, 0.25, 1, 5] as const;
const MIN_USD = 0.01;
const MAX_USD = 5;
const RATIO = Math.log(MAX_USD / MIN_USD);

/**
 * Returns the slider step for an amount in dollars. An amount below or above the scale gets the first or the
 * last step.
 */
export function toSlider(usd: number): number {
  const clamped = Math.min(MAX_USD, Math.max(MIN_USD, usd));
  return Math.round((Math.log(clamped / MIN_USD) / RATIO) * SLIDER_STEPS);
}

/**
 * Returns the amount at a slider step in dollars. It is rounded to 1 cent below $0.10, to 5 cents below $1,
 * and to 10 cents above.
 */
export function fromSlider(step: number): number {
  const usd = MIN_USD * Math.exp((step / SLIDER_STEPS) * RATIO);
  const grain = usd < 0.1 ? 0.01 : usd < 1 ? 0.05 : 0.1;
  return Number((Math.round(usd / grain) * grain).toFixed(2));
}
