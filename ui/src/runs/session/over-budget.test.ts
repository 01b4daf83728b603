// When a run stopped at its budget can continue.
import { expect, test } from "vitest";
import { isLarger } from "./over-budget";

test("a larger budget is more of something, and less of nothing", () => {
  const usd = { budget_usd: 0.012, budget_tokens: null };
  expect(isLarger(usd, { usd: 0.024, tokens: null })).toBe(true);
  expect(isLarger(usd, { usd: 0.012, tokens: null })).toBe(false);
  expect(isLarger(usd, { usd: null, tokens: null })).toBe(false);
  expect(isLarger(usd, { usd: 0.001, tokens: 9 })).toBe(false);
  const both = { budget_usd: 1, budget_tokens: 100 };
  expect(isLarger(both, { usd: 1, tokens: 200 })).toBe(true);
  expect(isLarger(both, { usd: 2, tokens: 50 })).toBe(false);
  expect(isLarger(both, { usd: 2, tokens: null })).toBe(false);
});
