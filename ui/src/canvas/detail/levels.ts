// Decides how much of a flow is drawn, according to the number of nodes and the zoom. Pure, and the only
// place with thresholds.

/** The level of detail of a card: in full, without text, or as a box on the overview bitmap. */
export type Level = "full" | "wordless" | "bitmap";

/**
 * The number of nodes above which a flow is large: its cards have borders instead of shadows, and become a
 * bitmap when zoomed out.
 */
const LARGE_ABOVE = 60;

/**
 * The number of nodes up to which a flow mounts all cards. A larger flow mounts only the cards in view, since
 * mounting and unmounting them costs less than keeping all of them.
 */
const MOUNT_ALL_UP_TO = 120;

/**
 * The zoom below which text is unreadable. A small flow keeps its text as long as its cards are
 * distinguishable.
 */
const WORDLESS_BELOW = { small: 0.28, large: 0.42 };

/**
 * The minimum zoom. It is lower for a flow that mounts only visible cards, since the whole flow must still
 * fit into the window.
 */
const MIN_ZOOM = { few: 0.15, many: 0.05 };

export interface Limits {
  isLarge: boolean;
  /** The zoom below which the level is no longer `full`. */
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
