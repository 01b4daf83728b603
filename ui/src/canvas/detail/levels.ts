// How much of a flow is drawn, from the number of nodes and the zoom. Pure, so that every threshold stands in one place.

/** What stands for a card: the card with all it holds, the card without words, or a box on the overview bitmap. */
export type Level = "full" | "wordless" | "bitmap";

/** Flows with more nodes count as large: cards have edges instead of shadows, and far away they become a bitmap. */
const LARGE_ABOVE = 60;

/** Flows with more nodes mount only the cards in view: mounting and unmounting costs less than keeping them all. */
const MOUNT_ALL_UP_TO = 120;

/** Below this zoom words cannot be read. A small flow keeps them as long as its cards can be told apart. */
const WORDLESS_BELOW = { small: 0.28, large: 0.42 };

/** The smallest zoom: a flow that mounts only what is in view must still fit into the window. */
const MIN_ZOOM = { few: 0.15, many: 0.05 };

export interface Limits {
  isLarge: boolean;
  /** Below this zoom the level is no longer `full`. */
  wordlessBelow: number;
  minZoom: number;
  onlyVisible: boolean;
}

export function limitsOf(nodeCount: number): Limits {
  const isLarge = nodeCount > LARGE_ABOVE;
  const onlyVisible = nodeCount > MOUNT_ALL_UP_TO;
  return {
    isLarge,
    wordlessBelow: isLarge ? WORDLESS_BELOW.large : WORDLESS_BELOW.small,
    minZoom: onlyVisible ? MIN_ZOOM.many : MIN_ZOOM.few,
    onlyVisible,
  };
}

export function levelOf({ isLarge, wordlessBelow }: Limits, zoom: number): Level {
  if (zoom >= wordlessBelow) return "full";
  return isLarge ? "bitmap" : "wordless";
}
