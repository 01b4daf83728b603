// The measured boxes of nodes, and the feedback lane of a loop.
import { type ReactFlowState, useStore } from "@xyflow/react";
import { useMemo } from "react";
import { useAnalysis } from "../../document/analysis";
import type { Region } from "../../ipc/generated/bindings";
import { type Box, boundsOf, grown, overlaps } from "../../kernels/geometry";
import { type FeedbackLane, feedbackLane, HULL_REACH } from "../../kernels/hull";
import { nestingIn, withRoom } from "../../kernels/nested-hulls";
import { crossingHeight } from "../../kernels/routing";
import { useScene } from "../../scene/scene";

export function boxOf(state: Pick<ReactFlowState, "nodeLookup">, id: string): Box | null {
  const node = state.nodeLookup.get(id);
  const width = node?.measured.width;
  const height = node?.measured.height;
  if (!node || width === undefined || height === undefined) return null;
  const { x, y } = node.internals.positionAbsolute;
  return { left: x, top: y, right: x + width, bottom: y + height };
}

let known: { nodes: unknown; boxes: ReadonlyMap<string, Box>; list: readonly Box[] } = {
  nodes: null,
  boxes: new Map(),
  list: [],
};

/** Returns the boxes of all nodes. The result is computed once and reused until a node moves. */
function allBoxes(state: ReactFlowState): typeof known {
  if (known.nodes === state.nodes) return known;
  const boxes = new Map<string, Box>();
  for (const id of state.nodeLookup.keys()) {
    const box = boxOf(state, id);
    if (box) boxes.set(id, box);
  }
  known = { nodes: state.nodes, boxes, list: [...boxes.values()] };
  return known;
}

const sameBoxes = (a: readonly (Box | null)[], b: readonly (Box | null)[]): boolean =>
  a.length === b.length &&
  a.every((box, i) => {
    const other = b[i];
    if (!box || !other) return box === (other ?? null);
    return (
      box.left === other.left &&
      box.top === other.top &&
      box.right === other.right &&
      box.bottom === other.bottom
    );
  });

/**
 * Returns the boxes of these nodes, null for those that are not drawn. Returns the same array until one of
 * these nodes moves or is resized.
 */
export function useBoxes(ids: readonly string[]): (Box | null)[] {
  const key = ids.join(" ");
  // The selector runs on every move of the view, during which usually no node moves.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids are compared by value.
  const select = useMemo(() => {
    let nodes: unknown = null;
    let boxes: (Box | null)[] = [];
    return (state: ReactFlowState) => {
      if (state.nodes === nodes) return boxes;
      nodes = state.nodes;
      boxes = ids.map((id) => boxOf(state, id));
      return boxes;
    };
  }, [key]);
  return useStore(select, sameBoxes);
}

/**
 * Returns the boxes of a region's drawn nodes, its start first. The box of a node in an inner loop is
 * enlarged to contain the hulls of the inner loops around the node.
 */
export function useRegionBoxes(region: Region | null, ids: readonly string[]): (Box | null)[] {
  const regions = useAnalysis((s) => s.analysis.regions);
  const folds = useScene((s) => s.folds);
  const boxes = useBoxes(ids);
  // During a move only the boxes change, so the nesting is memoized.
  const deep = useMemo(
    () => region && nestingIn(region, regions, (start) => folds.some((fold) => fold.id === start)),
    [region, regions, folds],
  );
  return useMemo(
    () => (deep?.size ? boxes.map((box, i) => withRoom(box, deep.get(ids[i] ?? "") ?? 0)) : boxes),
    [deep, boxes, ids],
  );
}

/**
 * Returns the boxes of the other nodes that a hull around the nodes `ids` could touch. Returns the same array
 * until one of these boxes changes.
 */
export function useNeighbours(ids: readonly string[]): Box[] {
  const key = ids.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids are compared by value.
  const select = useMemo(() => {
    const own = new Set(ids);
    let nodes: unknown = null;
    let boxes: Box[] = [];
    return (state: ReactFlowState) => {
      if (state.nodes === nodes) return boxes;
      nodes = state.nodes;
      const region = boundsOf(present(ids.map((id) => boxOf(state, id))));
      boxes = [];
      if (!region) return boxes;
      const around = grown(region, HULL_REACH);
      for (const [id, box] of allBoxes(state).boxes) {
        if (overlaps(box, around) && !own.has(id)) boxes.push(box);
      }
      return boxes;
    };
  }, [key]);
  return useStore(select, sameBoxes);
}

/**
 * Returns the y coordinate at which a backwards wire crosses between two rows. The crossing is clear of the
 * cards in between, even if these move or grow while the wire's ends stay. Returns 0 if the wire needs no
 * crossing.
 */
export function useCrossing(needed: boolean, left: number, right: number, from: number, to: number): number {
  const select = useMemo(() => {
    let nodes: unknown = null;
    let height = 0;
    return (state: ReactFlowState) => {
      if (!needed || state.nodes === nodes) return height;
      nodes = state.nodes;
      height = crossingHeight(allBoxes(state).list, left, right, from, to);
      return height;
    };
  }, [needed, left, right, from, to]);
  return useStore(select);
}

export const present = (boxes: readonly (Box | null)[]): Box[] =>
  boxes.filter((box): box is Box => box !== null);

/**
 * Returns the lane of a region from the boxes of its start, the feedback's source and its other nodes; null
 * until they are measured.
 */
export function laneOf(start: Box | null, source: Box | null, boxes: readonly Box[]): FeedbackLane | null {
  return start ? feedbackLane(start, boxes, source) : null;
}
