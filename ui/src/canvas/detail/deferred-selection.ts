// The selection box in a large flow. xyflow reports the selection at each step, and each report updates all
// cards, wires and panels. This module selects less often: when the pointer is still, at the end, and in
// between at an interval that grows with the number of nodes.
import { type ReactFlowState, useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { useDocument } from "../../document/document";
import { type Box, overlaps } from "../../kernels/geometry";
import { meantBy } from "../../scene/hidden-nodes";
import { useSession } from "../../session/session";
import { boxOf } from "../move/regions";
import type { CanvasNode } from "../nodes";

/**
 * The interval between two selections during a drag, in milliseconds: per node of the flow, and the maximum.
 */
const STEP_INTERVAL_MS = { perNode: 1, max: 1000 };
/** The time after which an unmoved pointer counts as still, in milliseconds. */
const IDLE_DELAY_MS = 90;

let drawing = false;

/** Returns whether xyflow's selection reports are ignored because this module applies the selection box. */
export const isSelectionDeferred = (): boolean => drawing;

type View = Pick<ReactFlowState<CanvasNode>, "transform" | "userSelectionRect">;

/** Returns the part of the flow under the selection box, in flow coordinates; null if there is none. */
export function selectedArea({ transform: [x, y, zoom], userSelectionRect: rect }: View): Box | null {
  if (!rect) return null;
  const left = (rect.x - x) / zoom;
  const top = (rect.y - y) / zoom;
  return { left, top, right: left + rect.width / zoom, bottom: top + rect.height / zoom };
}

/**
 * Selects everything that the area touches: nodes, the nodes of collapsed groups, and the wires at any of
 * them.
 */
export function chooseWithin(state: ReactFlowState<CanvasNode>, area: Box): void {
  const nodes = new Set<string>();
  for (const { id, data } of state.nodes) {
    const box = data.node ? boxOf(state, id) : null;
    if (!box || !overlaps(box, area)) continue;
    for (const meant of meantBy(id)) nodes.add(meant);
  }
  const { edges } = useDocument.getState().document;
  const wires = edges.filter((edge) => nodes.has(edge.source) || nodes.has(edge.target));
  useSession.getState().select(
    nodes,
    wires.map((edge) => edge.id),
  );
}

/** Takes over the selection box from xyflow if `isMany` is true. Call it above `<ReactFlow>`. */
export function useDeferredSelection(isMany: boolean): void {
  const store = useStoreApi<CanvasNode>();
  useEffect(() => {
    if (!isMany) return;
    let area: Box | null = null;
    let selectedAt = 0;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      selectedAt = performance.now();
      if (area) chooseWithin(store.getState(), area);
    };
    const stop = store.subscribe((state, before) => {
      if (state.userSelectionRect === before.userSelectionRect) return;
      clearTimeout(resting);
      if (!state.userSelectionRect) {
        if (drawing) look();
        drawing = false;
        area = null;
        return;
      }
      if (!state.userSelectionActive) return;
      if (!drawing) selectedAt = performance.now();
      drawing = true;
      area = selectedArea(state);
      const step = Math.min(STEP_INTERVAL_MS.max, STEP_INTERVAL_MS.perNode * state.nodes.length);
      if (performance.now() - selectedAt >= step) look();
      else resting = setTimeout(look, IDLE_DELAY_MS);
    });
    return () => {
      stop();
      clearTimeout(resting);
      drawing = false;
    };
  }, [store, isMany]);
}
