// Highlights the list entry the pointer moves to. A list that opens or scrolls under a resting pointer gets
// the same events as from a moved one, and Enter would then choose an entry nobody pointed at.
import { type PointerEvent, useCallback, useEffect, useRef } from "react";

/**
 * Returns a function that makes `onPointerMove` handlers. A handler acts only after the pointer has moved
 * since the list was mounted or reopened.
 */
export function usePointed(open = true): (act: () => void) => (event: PointerEvent) => void {
  const last = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    if (open) last.current = null;
  }, [open]);
  return useCallback(
    (act) =>
      ({ screenX: x, screenY: y }) => {
        const before = last.current;
        last.current = { x, y };
        if (before !== null && (before.x !== x || before.y !== y)) act();
      },
    [],
  );
}
