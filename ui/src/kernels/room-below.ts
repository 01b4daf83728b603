// Computes how tall each card may become before it reaches the card below it.
import type { Point } from "./geometry";

/** The maximum width of cards, in flow pixels. */
const MAX_CARD_WIDTH = 206;
/** The gap between a card and the one below it, in flow pixels. */
const BETWEEN = 14;

export interface Placed {
  id: string;
  position: Point;
}

/**
 * Returns the maximum height of each node's card, in pixels. A node has no entry if there is no card below
 * it.
 */
export function roomBelow(nodes: readonly Placed[]): ReadonlyMap<string, number> {
  const byX = [...nodes].sort((a, b) => a.position.x - b.position.x);
  const room = new Map<string, number>();
  const limit = ({ id, position }: Placed, below: Placed) => {
    const height = below.position.y - position.y - BETWEEN;
    if (height > 0) room.set(id, Math.min(height, room.get(id) ?? height));
  };
  for (const [i, left] of byX.entries()) {
    for (let j = i + 1; j < byX.length; j += 1) {
      const right = byX[j] as Placed;
      if (right.position.x - left.position.x >= MAX_CARD_WIDTH) break;
      limit(left, right);
      limit(right, left);
    }
  }
  return room;
}
