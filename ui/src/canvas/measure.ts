// When xyflow measures cards and where their sockets are. It does so by itself when a card comes and when its size changes;
// sockets that come and go inside a card of the same size it cannot see, and of a card drawn as a box there are none.
import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";

type Store = ReturnType<typeof useStoreApi>;

const waiting = new Map<Store, Set<string>>();

/** Measures all cards that ask before the next frame at once: each measurement is told to every card and wire. */
function measureSoon(store: Store, id: string): void {
  const ids = waiting.get(store);
  if (ids) {
    ids.add(id);
    return;
  }
  waiting.set(store, new Set([id]));
  requestAnimationFrame(() => {
    const asked = waiting.get(store) ?? new Set();
    waiting.delete(store);
    const { domNode, updateNodeInternals } = store.getState();
    const updates = new Map();
    for (const nodeElement of domNode?.querySelectorAll<HTMLDivElement>(".react-flow__node") ?? []) {
      const node = nodeElement.dataset.id;
      if (node !== undefined && asked.has(node)) updates.set(node, { id: node, nodeElement, force: true });
    }
    updateNodeInternals(updates, { triggerFitView: false });
  });
}

/** What each card had, sockets and problems, when it was measured last. */
const measured = new WeakMap<Store, Map<string, string>>();

/** Measures a card again when `content`, which its size and its sockets follow from, is another than when it was measured; says whether it is not. */
export function useMeasuredAnew(id: string, content: string): boolean {
  const store = useStoreApi();
  useEffect(() => {
    const known = measured.get(store) ?? new Map<string, string>();
    measured.set(store, known);
    const before = known.get(id);
    known.set(id, content);
    if (before !== undefined && before !== content) measureSoon(store, id);
  }, [store, id, content]);
  return measured.get(store)?.get(id) === content;
}
