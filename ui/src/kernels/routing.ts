// Where a wire that runs backwards crosses from one row to the next: through the widest free band between them.
import type { Box } from "./geometry";

/** The height of the crossing between `from` and `to`, kept clear of the boxes that stand between `left` and `right`. */
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
  // No free band: halfway, as if nothing stood there.
  if (best.bottom - best.top < 8) return (low + high) / 2;
  return best.top + (best.bottom - best.top) * 0.4;
}
