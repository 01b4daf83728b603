// Keeps the focus in a dialog whose content changes. When the focused element is removed or moved, the focus
// falls to the page behind it, where keys do not reach the dialog and a screen reader stays silent.
import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Watches the dialog in `box`. When an element loses the focus because it was moved, focuses the element
 * again. Calls `otherwise` if the element was removed.
 */
export function useFocusKept(box: RefObject<HTMLElement | null>, otherwise: () => void): void {
  const latest = useRef(otherwise);
  latest.current = otherwise;
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog === null) return;
    let last: Element | null = null;
    const onFocus = () => {
      last = document.activeElement;
    };
    const isMoved = ({ removedNodes }: MutationRecord) =>
      [...removedNodes].some((node) => node.contains(last));
    const changes = new MutationObserver((records) => {
      if (last === null || document.activeElement !== document.body || !records.some(isMoved)) return;
      if (last instanceof HTMLElement && dialog.contains(last)) last.focus({ preventScroll: true });
      if (document.activeElement === document.body) latest.current();
    });
    onFocus();
    dialog.addEventListener("focusin", onFocus);
    changes.observe(dialog, { childList: true, subtree: true });
    return () => {
      dialog.removeEventListener("focusin", onFocus);
      changes.disconnect();
    };
  }, [box]);
}
