// Drags nodes while the overview bitmap shows the flow. xyflow visits every card and wire whenever one moves,
// so it receives new positions only at intervals. In between, only the dragged cards and the bitmap follow
// the pointer.
import type { NodePositionChange, ReactFlowState } from "@xyflow/react";
import { create } from "zustand";
import { cardOf } from "../view/focus";
import { useOverview } from "./overview";

type State = Pick<ReactFlowState, "nodeLookup">;

/** The interval between two updates of xyflow during a drag, in milliseconds. */
const STEP_INTERVAL_MS = 1000;
/** xyflow is updated when the pointer has been still for this time, in milliseconds. */
const IDLE_DELAY_MS = 90;

const useDragged = create<{ ids: readonly string[] }>()(() => ({ ids: [] }));

/** Calls back with the nodes that moved without xyflow. Returns a function that stops the calls. */
export const onDragged = (call: (ids: readonly string[]) => void): (() => void) =>
  useDragged.subscribe(({ ids }) => call(ids));

let appliedAt = 0;
let resting: ReturnType<typeof setTimeout> | undefined;

export function beginDeferredDrag(): void {
  appliedAt = performance.now();
}

export function endDeferredDrag(): void {
  clearTimeout(resting);
}

/**
 * Moves only the dragged cards if that is enough, and calls `apply` once the pointer is still. Returns
 * `false` if xyflow must receive the moves immediately.
 */
export function deferDrag(
  { nodeLookup }: State,
  moves: readonly NodePositionChange[],
  apply: () => void,
): boolean {
  const now = performance.now();
  clearTimeout(resting);
  if (!useOverview.getState().isShown || moves.some((move) => !move.dragging)) return false;
  if (now - appliedAt >= STEP_INTERVAL_MS) {
    appliedAt = now;
    return false;
  }
  for (const { id, position } of moves) {
    const node = nodeLookup.get(id);
    if (!node || !position) continue;
    node.internals.positionAbsolute = position;
    const card = cardOf(id);
    // The transform has the same format as xyflow's own.
    if (card) card.style.transform = `translate(${position.x}px,${position.y}px)`;
  }
  useDragged.setState({ ids: moves.map((move) => move.id) });
  resting = setTimeout(() => {
    appliedAt = performance.now();
    apply();
  }, IDLE_DELAY_MS);
  return true;
}
