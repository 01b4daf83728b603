// The height of a card next to a run. It is based on the height the card had in the editor, so that no card
// covers another as text arrives.
import type { CSSProperties } from "react";
import { useDocument } from "../../document/document";
import type { FlowNode } from "../../ipc/generated/bindings";
import { roomBelow } from "../../kernels/room-below";

/** The minimum height of a result, in pixels, on a card with a stored height: three lines. */
const MIN_RUN_HEIGHT = 64;
/** The minimum height of a result, in pixels, on a card without a stored height: five lines. */
const USUAL_RUN_HEIGHT = 97;

/**
 * The height of each card while its workflow is edited, in pixels. `place` identifies the document that the
 * heights belong to.
 */
const edited = { place: -1, heights: new Map<string, number>() };

/** Stores the height of a card in the editor. */
function storeHeight(place: number, id: string, height: number): void {
  if (edited.place !== place) {
    edited.place = place;
    edited.heights = new Map();
  }
  edited.heights.set(id, height);
}

const storedHeight = (place: number, id: string): number | undefined =>
  edited.place === place ? edited.heights.get(id) : undefined;

let known: { nodes: readonly FlowNode[]; room: ReadonlyMap<string, number> } | null = null;

/** Returns the free space below each card, computed once for all cards of a document. */
function roomOf(nodes: readonly FlowNode[]): ReadonlyMap<string, number> {
  if (known?.nodes !== nodes) known = { nodes, room: roomBelow(nodes) };
  return known.room;
}

/**
 * Returns the bounds of a card's height while a run is shown; undefined while the workflow is edited.
 * `height` is the measured height, in pixels.
 */
export function useRunHeight(
  id: string,
  height: number | undefined,
  showsRun: boolean,
): CSSProperties | undefined {
  // No subscription is needed: cards of another document are rendered again in any case.
  const { place } = useDocument.getState();
  const room = useDocument((s) => (showsRun ? roomOf(s.document.nodes).get(id) : undefined));
  if (!showsRun) {
    if (height !== undefined) storeHeight(place, id, height);
    return undefined;
  }
  const own = storedHeight(place, id);
  return {
    minHeight: own,
    maxHeight: room === undefined ? undefined : Math.max(room, own ?? 0),
    "--run-room": `${own === undefined ? USUAL_RUN_HEIGHT : MIN_RUN_HEIGHT}px`,
  } as CSSProperties;
}
