// Which nodes a search finds, and what of it comes first: what is called as it is typed before what only says it. Pure.
import type { Offer } from "../../document/build";

/** How near an offer is to the words, least first; null where they are not in it. Without words all are equally near. */
export function nearness({ title, summary }: Pick<Offer, "title" | "summary">, words: string): number | null {
  const wanted = words.trim().toLowerCase();
  const name = title.toLowerCase();
  if (name.startsWith(wanted)) return 0;
  if (name.split(/\s+/).some((word) => word.startsWith(wanted))) return 1;
  if (name.includes(wanted)) return 2;
  return `${name} ${summary.toLowerCase()}`.includes(wanted) ? 3 : null;
}
