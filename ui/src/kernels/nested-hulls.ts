// Nested loops: the space that the hulls of inner loops need in the hull of the outer loop. Pure.
import type { Region } from "../ipc/generated/bindings";
import type { Box } from "./geometry";

/** Returns the nodes of a region, the opening one first. */
export const regionIds = (region: Region): string[] => [
  region.start,
  ...region.body,
  ...(region.end ? [region.end] : []),
];

/**
 * The space for the hull and lane of an inner loop around its nodes, in pixels, including the gap to the
 * outer hull.
 */
const NESTED = { left: 12, top: 34, right: 12, bottom: 44 } as const;

/**
 * Returns, for each node, the number of regions inside `region` that contain it. Folded regions do not count,
 * since they have no hull.
 */
export function nestingIn(
  region: Region,
  regions: readonly Region[],
  isFolded: (start: string) => boolean,
): ReadonlyMap<string, number> {
  const within = new Map<string, number>();
  for (const inner of regions) {
    if (inner.start === region.start || !region.body.includes(inner.start) || isFolded(inner.start)) continue;
    for (const id of regionIds(inner)) within.set(id, (within.get(id) ?? 0) + 1);
  }
  return within;
}

/** Returns a box enlarged by the space for `deep` nested hulls around it; null if `box` is null. */
export function withRoom(box: Box | null, deep: number): Box | null {
  if (box === null || deep === 0) return box;
  return {
    left: box.left - deep * NESTED.left,
    top: box.top - deep * NESTED.top,
    right: box.right + deep * NESTED.right,
    bottom: box.bottom + deep * NESTED.bottom,
  };
}
