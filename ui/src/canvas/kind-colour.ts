// The colour that the nodes of a kind have everywhere.
import { isLoopFamily } from "../document/kinds";
import type { KindInfo } from "../ipc/generated/bindings";

/** The class that gives a kind its colour: loop and exit share the violet that nothing else may use. */
export const colourOf = (kind: KindInfo | undefined): string => {
  if (!kind) return "category-flow";
  return isLoopFamily(kind) ? "category-loop" : `category-${kind.category}`;
};
