// Nodes that a hand drags through a flow seen from afar. Whenever one moves, xyflow looks at every card and wire of the flow;
// so it is told in steps, and in between only the dragged cards themselves and the bitmap follow the hand.
import type { NodePositionChange, ReactFlowState } from "@xyflow/react";
import { create } from "zustand";
import { useFar } from "./far";
import { cardOf } from "./focus";

type State = Pick<ReactFlowState, "nodeLookup">;

/** Between two moves that xyflow is told of while the hand goes on, in milliseconds: what it draws beside the cards follows as seldom. */
const STEP_MS = 1000;
/** A hand that rests for so long is told of at once, in milliseconds. */
const REST_MS = 90;

const useDragged = create<{ ids: readonly string[] }>()(() => ({ ids: [] }));

/** Calls with the nodes that went ahead of what xyflow was told. Returns what stops it. */
export const onDragged = (call: (ids: readonly string[]) => void): (() => void) =>
  useDragged.subscribe(({ ids }) => call(ids));

let toldAt = 0;
let resting: ReturnType<typeof setTimeout> | undefined;

export function beginHeldDrag(): void {
  toldAt = performance.now();
}

export function endHeldDrag(): void {
  clearTimeout(resting);
}

/**
 * Moves the cards alone, where that is enough, and calls `tell` once the hand rests; otherwise `false`, and xyflow is to be told
 * now.
 */
export function moveAlone(
  { nodeLookup }: State,
  moves: readonly NodePositionChange[],
  tell: () => void,
): boolean {
  const now = performance.now();
  clearTimeout(resting);
  if (!useFar.getState().far || moves.some((move) => !move.dragging)) return false;
  if (now - toldAt >= STEP_MS) {
    toldAt = now;
    return false;
  }
  for (const { id, position } of moves) {
    const node = nodeLookup.get(id);
    if (!node || !position) continue;
    node.internals.positionAbsolute = position;
    const card = cardOf(id);
    // As xyflow writes it.
    if (card) card.style.transform = `translate(${position.x}px,${position.y}px)`;
  }
  useDragged.setState({ ids: moves.map((move) => move.id) });
  resting = setTimeout(() => {
    toldAt = performance.now();
    tell();
  }, REST_MS);
  return true;
}
