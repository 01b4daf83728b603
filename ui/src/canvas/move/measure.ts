// When xyflow measures cards and where their sockets are. It does so by itself when a card comes and when its size changes;
// sockets that come and go inside a card of the same size it cannot see, and of a card drawn as a box there are none.
import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";

/** What is the same for all components of one canvas: the object that `useStoreApi` gives is another in each. */
type Canvas = ReturnType<typeof useStoreApi>["getState"];

/** What each card had, sockets and problems, when it was measured last. */
const measured = new WeakMap<Canvas, Map<string, string>>();

const waiting = new Map<Canvas, Map<string, string>>();

/** Measures all cards that ask before the next frame at once: each measurement is told to every card and wire. */
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

/** Measures a card again when `content`, which its size and its sockets follow from, is another than when it was measured. */
export function useMeasuredAgain(id: string, content: string): void {
  const { getState } = useStoreApi();
  useEffect(() => {
    const known = measured.get(getState) ?? new Map<string, string>();
    measured.set(getState, known);
    // xyflow measures a card that comes.
    if (!known.has(id)) known.set(id, content);
    else if (known.get(id) !== content || waiting.get(getState)?.has(id)) measureSoon(getState, id, content);
  }, [getState, id, content]);
}
