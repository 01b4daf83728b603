// A dialog over the window. React takes an open dialog out of the page without closing it, and then the focus falls to
// the body; here it is closed first, and the focus goes back to where it was.
import { type RefObject, useLayoutEffect } from "react";

/** Shows it, and gives what closes it again. */
function shown(dialog: HTMLDialogElement, show: "show" | "showModal"): () => void {
  const before = document.activeElement;
  // Where there are no dialogs, as in the tests of parts, it is shown as it stands.
  dialog[show]?.();
  return () => {
    dialog.close?.();
    const focused = document.activeElement;
    if (focused !== document.body && !dialog.contains(focused)) return;
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}

/** Shows the dialog in `box` as long as `open` is set; another value of `open` shows it anew. */
export function useModal(box: RefObject<HTMLDialogElement | null>, open: unknown = true): void {
  useLayoutEffect(() => {
    const dialog = box.current;
    if (open && dialog !== null) return shown(dialog, "showModal");
  }, [box, open]);
}

const PRESSES = ["pointerdown", "mousedown", "click", "auxclick", "contextmenu"] as const;

/**
 * Shows the dialog in `box` over a page that stays as it is, for one that must come and go at once: behind a modal one the
 * web view works out the style of every element anew. Escape and a press beside it ask for `close`, Tab stays inside, and
 * what lies beneath gets neither.
 */
export function useLightDialog(box: RefObject<HTMLDialogElement | null>, close: () => void): void {
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog === null) return;
    const hide = shown(dialog, "show");
    const leave = new AbortController();
    const { signal } = leave;
    const press = (event: Event) => {
      if (event.target instanceof Node && dialog.contains(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      // Not sooner: what belongs to the same press would reach what lies beneath.
      if (event.type !== "pointerdown" && event.type !== "mousedown") close();
    };
    for (const type of PRESSES) window.addEventListener(type, press, { capture: true, signal });
    const key = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
      else if (event.key !== "Tab") return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("keydown", key, { capture: true, signal });
    return () => {
      leave.abort();
      hide();
    };
  }, [box, close]);
}
