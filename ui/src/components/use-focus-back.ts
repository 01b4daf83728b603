// A panel that takes the focus while it is open: when it goes with the focus inside, that returns to whatever had it.
import { type RefObject, useLayoutEffect, useRef } from "react";

/** `otherwise` is asked where that is gone from the page, or was nothing. */
export function useFocusBack(box: RefObject<HTMLElement | null>, otherwise: () => void): void {
  // Read while the panel is made: its own field may take the focus as soon as it is there.
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
        // What is out of sight by now takes none.
        if (document.activeElement === back) return;
      }
      latest.current();
    };
  }, [box]);
}
