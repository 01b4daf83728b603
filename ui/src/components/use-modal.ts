// A dialog over the window. React takes an open dialog out of the page without closing it, and then the focus falls to
// the body; here it is closed first, and the focus goes back to where it was.
import { type RefObject, useLayoutEffect } from "react";

/** Shows the dialog in `box` as long as `open` is set; another value of `open` shows it anew. */
export function useModal(box: RefObject<HTMLDialogElement | null>, open: unknown = true): void {
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!open || dialog === null) return;
    const before = document.activeElement;
    // Where there are no dialogs, as in the tests of parts, it is shown as it stands.
    dialog.showModal?.();
    return () => {
      dialog.close?.();
      const focused = document.activeElement;
      if (focused !== document.body && !dialog.contains(focused)) return;
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [box, open]);
}
