// A box that a hand draws around nodes of a large flow. xyflow tells of each step what is in it, and each time all cards,
// wires and panels are asked; so what the box holds is chosen when the hand rests, at the end, and meanwhile the less often the
// more nodes there are.
import { type ReactFlowState, useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { useDocument } from "../document/document";
import { meantBy } from "../drawn/folds";
import { type Box, overlaps } from "../kernels/geometry";
import { useSession } from "../session/session";
import type { CanvasNode } from "./nodes";
import { boxOf } from "./regions";

/** Between two looks while the hand goes on, in milliseconds: for each node of the flow, and at most. */
const STEP_MS = { each: 1, most: 1000 };
/** A hand that stays for so long rests, in milliseconds. */
const REST_MS = 90;

let drawing = false;

/** Whether what xyflow says is chosen can be left aside: the box in hand is looked at here. */
export const isSelectionHeld = (): boolean => drawing;

type View = Pick<ReactFlowState<CanvasNode>, "transform" | "userSelectionRect">;

/** What of the flow the box in hand lies over; null where there is none. */
export function selectedArea({ transform: [x, y, zoom], userSelectionRect: rect }: View): Box | null {
  if (!rect) return null;
  const left = (rect.x - x) / zoom;
  const top = (rect.y - y) / zoom;
  return { left, top, right: left + rect.width / zoom, bottom: top + rect.height / zoom };
}

/** Chooses all that the area touches: nodes, those of groups that are folded, and the wires at any of them. */
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

/** Call it above `<ReactFlow>`. */
export function useHeldSelection(isMany: boolean): void {
  const store = useStoreApi<CanvasNode>();
  useEffect(() => {
    if (!isMany) return;
    let area: Box | null = null;
    let lookedAt = 0;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      lookedAt = performance.now();
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
      if (!drawing) lookedAt = performance.now();
      drawing = true;
      area = selectedArea(state);
      const step = Math.min(STEP_MS.most, STEP_MS.each * state.nodes.length);
      if (performance.now() - lookedAt >= step) look();
      else resting = setTimeout(look, REST_MS);
    });
    return () => {
      stop();
      clearTimeout(resting);
      drawing = false;
    };
  }, [store, isMany]);
}
