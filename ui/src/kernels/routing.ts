// The crossing of a backwards wire between two rows, through the widest free band between them.
import type { Box } from "./geometry";

/**
 * Returns the y coordinate at which a backwards wire crosses between the heights `from` and `to`. The
 * crossing avoids the boxes between `left` and `right` if there is a free band.
 */
export function crossingHeight(
  boxes: readonly Box[],
  left: number,
  right: number,
  from: number,
  to: number,
): number {
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  const spans = boxes
    .filter((box) => box.left < right && box.right > left && box.bottom > low && box.top < high)
    .map((box) => [Math.max(box.top, low), Math.min(box.bottom, high)] as const)
    .sort((a, b) => a[0] - b[0]);
  let best = { top: low, bottom: low };
  let edge = low;
  for (const [top, bottom] of spans) {
    if (top - edge > best.bottom - best.top) best = { top: edge, bottom: top };
    edge = Math.max(edge, bottom);
  }
  if (high - edge > best.bottom - best.top) best = { top: edge, bottom: high };
  // Without a free band the crossing is in the middle and ignores the boxes.
  if (best.bottom - best.top < 8) return (low + high) / 2;
  return best.top + (best.bottom - best.top) * 0.4;
}
