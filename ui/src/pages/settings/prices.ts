// Changes the prices that the user entered. Pure.
import type { Price } from "../../ipc/generated/bindings";

export type NewPrice = Pick<Price, "provider" | "model" | "input" | "cachedInput" | "output">;

export const NO_PRICE: NewPrice = { provider: "", model: "", input: null, cachedInput: null, output: null };

/** Returns a price with the user as its source. Rust adds today's date when the price is saved. */
export function toPrice(price: NewPrice): Price {
  const { provider, model, input, cachedInput, output } = price;
  return {
    provider: provider.trim(),
    model: model.trim(),
    input,
    cachedInput,
    output,
    long: null,
    asOf: "",
    source: "set by you",
    own: true,
  };
}

const isSame = (a: Pick<Price, "provider" | "model">, b: Pick<Price, "provider" | "model">) =>
  a.provider === b.provider && a.model === b.model;

export function addPrice(own: readonly Price[], price: NewPrice): Price[] {
  return [...own, toPrice(price)];
}

/** Returns the user's prices with one changed. Changing a built-in price adds it to the user's prices. */
export function changePrice(own: readonly Price[], price: Price, change: Partial<Price>): Price[] {
  const changed: Price = { ...toPrice(price), ...change };
  return own.some((p) => isSame(p, price))
    ? own.map((p) => (isSame(p, price) ? changed : p))
    : [...own, changed];
}

export function removePrice(own: readonly Price[], price: Price): Price[] {
  return own.filter((p) => !isSame(p, price));
}
