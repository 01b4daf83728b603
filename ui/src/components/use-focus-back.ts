// Restores the focus when a focused panel closes: it returns to the previously focused element.
import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Restores the earlier focus when the panel in `box` closes with the focus inside it. `otherwise` is called
 * if the element that had the focus before is gone or hidden, or if no element had it.
 */
export function useFocusBack(box: RefObject<HTMLElement | null>, otherwise: () => void): void {
  // The element is read during render, since a field of the panel may take the focus on mount.
  const before = useRef(document.activeElement);
  const latest = useRef(otherwise);
  latest.current = otherwise;
  useLayoutEffect(() => {
    const panel = box.current;
    return () => {
      if (!panel?.contains(document.activeElement)) return;
      const back = before.current;
      if (back instanceof HTMLElement && back !== document.body && back.isConnected) {
        back.focus({ preventScroll: true });
        // Focusing an element that is now hidden has no effect.
        if (document.activeElement === back) return;
      }
      latest.current();
    };
  }, [box]);
}
