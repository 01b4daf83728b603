// How tall a card can be before it reaches the one below it.
import type { Point } from "./geometry";

/** Cards are at most so wide, in pixels of the flow. */
const MAX_CARD_WIDTH = 206;
/** What stays free between a card and the one below it, in pixels of the flow. */
const BETWEEN = 14;

export interface Placed {
  id: string;
  position: Point;
}

/** For each node the height, in pixels, that its card can have; nodes with none below them are left out. */
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
