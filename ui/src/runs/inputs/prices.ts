// The prices of models, for the lists from which a model is chosen.
import { create } from "zustand";
import { api } from "../../ipc/client";
import type { Price } from "../../ipc/generated/bindings";

interface Prices {
  /** The prices that the user set, then the built-in ones; null until they are read. */
  readonly list: readonly Price[] | null;
  load(): Promise<void>;
}

export const usePrices = create<Prices>()((set) => ({
  list: null,
  async load() {
    // Without prices, a list shows only names.
    const found = await api()
      .prices()
      .catch(() => null);
    if (found) set({ list: found.prices });
  },
}));

/** Formats a price per million tokens: "$2", "$0.125", "free", "–". */
export function perMillion(usd: number | null): string {
  if (usd === null) return "–";
  return usd === 0 ? "free" : `$${Number(usd.toFixed(4))}`;
}

/** Removes the date from a model name such as `gpt-4.1-2025-04-14` or `claude-sonnet-4-20250514`. */
const undated = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");

/**
 * Returns the price used for a call of the model; null if none is known. Same rules as `PriceTable::find` in
 * Rust.
 */
export function priceOf(prices: readonly Price[], provider: string, model: string): Price | null {
  const name = model.replace(/^models\//, "");
  const within = (list: readonly Price[]): Price | undefined => {
    const of = list.filter((price) => price.provider === provider);
    const beginnings = of.filter((p) => p.model.endsWith("*") && name.startsWith(p.model.slice(0, -1)));
    return (
      of.find((p) => p.model === name) ??
      of.find((p) => p.model === undated(name)) ??
      // The longest matching prefix wins.
      beginnings.sort((a, b) => b.model.length - a.model.length)[0]
    );
  };
  return within(prices.filter((p) => p.own)) ?? within(prices.filter((p) => !p.own)) ?? null;
}

/** Formats a price: "$2 in, $8 out per million tokens", "free", "no known price". */
export function priceWords(price: Price | null): string {
  if (price === null) return "no known price";
  if (price.input === 0 && price.output === 0) return "free";
  return `${perMillion(price.input)} in, ${perMillion(price.output)} out per million tokens`;
}
