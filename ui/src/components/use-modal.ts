// Dialogs over the window. React removes an open dialog from the page without closing it, and the focus is
// then lost. Here the dialog is closed first, and the focus returns to where it was.
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Focuses `before` again if the focus is still in `dialog` or was lost when the dialog closed. */
function focusBack(dialog: HTMLElement, before: Element | null): void {
  const focused = document.activeElement;
  if (focused !== document.body && !dialog.contains(focused)) return;
  if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
}

/** Shows the dialog in `box` while `open` is set. A different value of `open` shows it again. */
export function useModal(box: RefObject<HTMLDialogElement | null>, open: unknown = true): void {
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!open || dialog === null) return;
    const before = document.activeElement;
    // Without dialog support, as in component tests, the element is shown as it is.
    dialog.showModal?.();
    return () => {
      dialog.close?.();
      focusBack(dialog, before);
    };
  }, [box, open]);
}

const PRESSES = ["pointerdown", "mousedown", "click", "auxclick", "contextmenu"] as const;

/**
 * Shows the dialog in `box` over an unchanged page while it is `open`, for dialogs that must open and close
 * instantly. For a modal dialog the web view recomputes the style of every element. The dialog's first input
 * field is focused, Escape and a press outside call `close`, Tab stays inside, and the page receives neither
 * keys nor presses.
 */
export function useLightDialog(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  const before = useRef<Element>(null);
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog === null) return;
    if (!open) {
      // The focus is restored in this effect and not in the cleanup, because React restores the previous
      // focus after the cleanup.
      if (before.current) focusBack(dialog, before.current);
      before.current = null;
      return;
    }
    before.current = document.activeElement;
    const field = () => dialog.querySelector("input");
    const toField = () => field()?.focus({ preventScroll: true });
    toField();
    const leave = new AbortController();
    const { signal } = leave;
    const press = (event: Event) => {
      if (event.target instanceof Node && dialog.contains(event.target)) {
        // A press elsewhere in the dialog leaves the focus in the field, so that the user can continue
        // typing.
        if (event.type === "mousedown" && event.target !== field()) event.preventDefault();
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      // Closing earlier would let the other events of the same press reach the page.
      if (event.type !== "pointerdown" && event.type !== "mousedown") close();
    };
    for (const type of PRESSES) window.addEventListener(type, press, { capture: true, signal });
    const key = (event: KeyboardEvent) => {
      // During composition, keys belong to the input method.
      if (event.isComposing) return;
      const isOut = !dialog.contains(document.activeElement);
      const isOurs = event.key === "Escape" || event.key === "Tab";
      // The focus has moved out of the dialog meanwhile. The key must not reach the page.
      if (isOut) toField();
      if (event.key === "Escape") close();
      if (isOurs) event.preventDefault();
      if (isOurs || isOut) event.stopPropagation();
    };
    window.addEventListener("keydown", key, { capture: true, signal });
    return () => leave.abort();
  }, [box, open, close]);
}
