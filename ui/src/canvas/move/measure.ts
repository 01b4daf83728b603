// Requests measurements of cards and sockets from xyflow. xyflow measures a card when it mounts and when its
// size changes. It misses sockets that change inside a card of the same size, and a card drawn as a box has
// none.
import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";

/** A key for one canvas, the same in all its components. `useStoreApi` returns a different object in each. */
type Canvas = ReturnType<typeof useStoreApi>["getState"];

/** The sockets and problems of each card when it was last measured. */
const measured = new WeakMap<Canvas, Map<string, string>>();

const waiting = new Map<Canvas, Map<string, string>>();

/**
 * Measures all cards requested before the next frame together, since each measurement notifies every card and
 * wire.
 */
function measureSoon(canvas: Canvas, id: string, content: string): void {
  const before = waiting.get(canvas);
  if (before) {
    before.set(id, content);
    return;
  }
  const cards = new Map([[id, content]]);
  waiting.set(canvas, cards);
  requestAnimationFrame(() => {
    waiting.delete(canvas);
    const { domNode, updateNodeInternals } = canvas();
    const updates = new Map();
    for (const nodeElement of domNode?.querySelectorAll<HTMLDivElement>(".react-flow__node") ?? []) {
      const node = nodeElement.dataset.id ?? "";
      const content = cards.get(node);
      if (content === undefined) continue;
      updates.set(node, { id: node, nodeElement, force: true });
      measured.get(canvas)?.set(node, content);
    }
    updateNodeInternals(updates, { triggerFitView: false });
  });
}

/**
 * Measures a card again when `content`, which determines its size and sockets, differs from the last
 * measurement.
 */
export function useMeasuredAgain(id: string, content: string): void {
  const { getState } = useStoreApi();
  useEffect(() => {
    const known = measured.get(getState) ?? new Map<string, string>();
    measured.set(getState, known);
    // xyflow measures a new card by itself.
    if (!known.has(id)) known.set(id, content);
    else if (known.get(id) !== content || waiting.get(getState)?.has(id)) measureSoon(getState, id, content);
  }, [getState, id, content]);
}
