// Restores the focus when a focused panel closes: it returns to the previously focused element.
import { type RefObject, useLayoutEffect, useRef } from "react";

/** `otherwise` is called if that element is gone or there was none. */
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
        // An element that is now hidden cannot be focused.
        if (document.activeElement === back) return;
      }
      latest.current();
    };
  }, [box]);
}
