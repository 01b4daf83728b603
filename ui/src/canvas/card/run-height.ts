// The height of a card beside a run: that which it has while the workflow is edited, so that no card covers another as texts arrive.
import type { CSSProperties } from "react";
import { useDocument } from "../../document/document";
import type { FlowNode } from "../../ipc/generated/bindings";
import { roomBelow } from "../../kernels/room-below";

/** What a node did takes so much at least where the card has it, in pixels: three lines. */
const MIN_RUN_HEIGHT = 64;
/** The same for a card that was never edited here, in pixels: five lines. */
const USUAL_RUN_HEIGHT = 97;

/** The heights of cards while their document was edited, in pixels. */
const edited = { place: -1, heights: new Map<string, number>() };

/** Keeps the height that a card has while it is edited. */
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

/** The room below each card, found once for all cards of a document. */
function roomOf(nodes: readonly FlowNode[]): ReadonlyMap<string, number> {
  if (known?.nodes !== nodes) known = { nodes, room: roomBelow(nodes) };
  return known.room;
}

/** The bounds of a card's height beside a run; undefined while its workflow is edited. `height`: as measured, in pixels. */
export function useRunHeight(
  id: string,
  height: number | undefined,
  showsRun: boolean,
): CSSProperties | undefined {
  // Read only: a card of another document is drawn again in any case.
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
