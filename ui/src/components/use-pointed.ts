// Marking what the pointer is moved to in a list. A list that opens or scrolls under a pointer at rest is told of it as of
// one that came there; Enter would then take what nobody pointed at.
import { type PointerEvent, useCallback, useEffect, useRef } from "react";

/** Makes a handler for `onPointerMove` that acts once the pointer has moved since the list was mounted, or opened again. */
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
