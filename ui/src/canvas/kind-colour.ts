// The colour of a kind's nodes, the same everywhere.
import { isLoopFamily } from "../document/kinds";
import type { KindInfo } from "../ipc/generated/bindings";

/** Returns the colour class of a kind. Loop and Exit share a violet reserved for them. */
export const colourOf = (kind: KindInfo | undefined): string => {
  if (!kind) return "category-flow";
  return isLoopFamily(kind) ? "category-loop" : `category-${kind.category}`;
};
