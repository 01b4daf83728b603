// Matches and ranks nodes for a search. Title matches come before matches in the summary. Pure.
import type { Offer } from "../../document/build";

/**
 * Returns the rank of an offer for the query; null if the offer does not match. The best rank is 0. An empty
 * query gives all offers the same rank.
 */
export function nearness({ title, summary }: Pick<Offer, "title" | "summary">, words: string): number | null {
  const wanted = words.trim().toLowerCase();
  const name = title.toLowerCase();
  if (name.startsWith(wanted)) return 0;
  if (name.split(/\s+/).some((word) => word.startsWith(wanted))) return 1;
  if (name.includes(wanted)) return 2;
  return `${name} ${summary.toLowerCase()}`.includes(wanted) ? 3 : null;
}
