// A dialog whose parts change while it is open. An element that is taken out or moved loses the focus to the page behind, where no key
// reaches the dialog and a screen reader says nothing of it.
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Gives the focus back to what had it, or calls `otherwise` where that is gone. */
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
