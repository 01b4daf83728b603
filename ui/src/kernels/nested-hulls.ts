// Loops within loops: how much room the hulls within take in the one around them. Pure.
import type { Region } from "../ipc/generated/bindings";
import type { Box } from "./geometry";

/** The nodes of a region, the one that opens it first. */
export const regionIds = (region: Region): string[] => [
  region.start,
  ...region.body,
  ...(region.end ? [region.end] : []),
];

/** What the hull and the lane of a loop within another one take around its nodes, in pixels, with some ground between the two. */
const NESTED = { left: 12, top: 34, right: 12, bottom: 44 } as const;

/** In how many regions within `region` a node lies. Those that are folded have no hull. */
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

/** A box with the room for as many hulls within the one that is drawn around it. */
export function withRoom(box: Box | null, deep: number): Box | null {
  if (box === null || deep === 0) return box;
  return {
    left: box.left - deep * NESTED.left,
    top: box.top - deep * NESTED.top,
    right: box.right + deep * NESTED.right,
    bottom: box.bottom + deep * NESTED.bottom,
  };
}
