// What models cost, for the lists in which one is chosen.
import { create } from "zustand";
import { api } from "../../ipc/client";
import type { Price } from "../../ipc/generated/bindings";

interface Prices {
  /** The person's own first, then the program's; null until they were read. */
  readonly list: readonly Price[] | null;
  load(): Promise<void>;
}

export const usePrices = create<Prices>()((set) => ({
  list: null,
  async load() {
    // Without prices a list has its names.
    const found = await api()
      .prices()
      .catch(() => null);
    if (found) set({ list: found.prices });
  },
}));

/** "$2", "$0.125", "free", "–". */
export function perMillion(usd: number | null): string {
  if (usd === null) return "–";
  return usd === 0 ? "free" : `$${Number(usd.toFixed(4))}`;
}

/** `gpt-4.1-2025-04-14` and `claude-sonnet-4-20250514` without their dates. */
const undated = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");

/** The price that a call of the model is reckoned with; null where none is known. As `PriceTable::find` on the Rust side. */
export function priceOf(prices: readonly Price[], provider: string, model: string): Price | null {
  const name = model.replace(/^models\//, "");
  const within = (list: readonly Price[]): Price | undefined => {
    const of = list.filter((price) => price.provider === provider);
    const beginnings = of.filter((p) => p.model.endsWith("*") && name.startsWith(p.model.slice(0, -1)));
    return (
      of.find((p) => p.model === name) ??
      of.find((p) => p.model === undated(name)) ??
      // The longest beginning is the closest.
      beginnings.sort((a, b) => b.model.length - a.model.length)[0]
    );
  };
  return within(prices.filter((p) => p.own)) ?? within(prices.filter((p) => !p.own)) ?? null;
}

/** "$2 in, $8 out for a million tokens", "free", "no known price". */
export function priceWords(price: Price | null): string {
  if (price === null) return "no known price";
  if (price.input === 0 && price.output === 0) return "free";
  return `${perMillion(price.input)} in, ${perMillion(price.output)} out for a million tokens`;
}
