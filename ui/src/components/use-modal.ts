// A dialog over the window. React takes an open dialog out of the page without closing it, and then the focus falls to
// the body; here it is closed first, and the focus goes back to where it was.
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Gives the focus back to `before` where it is still in `dialog`, or was lost with it. */
function focusBack(dialog: HTMLElement, before: Element | null): void {
  const focused = document.activeElement;
  if (focused !== document.body && !dialog.contains(focused)) return;
  if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
}

/** Shows the dialog in `box` as long as `open` is set; another value of `open` shows it again. */
export function useModal(box: RefObject<HTMLDialogElement | null>, open: unknown = true): void {
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!open || dialog === null) return;
    const before = document.activeElement;
    // Where there are no dialogs, as in the tests of parts, it is shown as it stands.
    dialog.showModal?.();
    return () => {
      dialog.close?.();
      focusBack(dialog, before);
    };
  }, [box, open]);
}

const PRESSES = ["pointerdown", "mousedown", "click", "auxclick", "contextmenu"] as const;

/**
 * The dialog in `box` has the keyboard while it is `open`, over a page that stays as it is: for one that must come and go at
 * once. Behind a modal one the web view works out the style of every element again. Its field gets the focus, Escape and a press
 * beside it ask for `close`, Tab stays inside, and what lies beneath gets neither.
 */
export function useLightDialog(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  const before = useRef<Element>(null);
  useLayoutEffect(() => {
    const dialog = box.current;
    if (dialog === null) return;
    if (!open) {
      // Here and not when the effect is undone: until then React holds the focus where it was.
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
        // The field keeps the keyboard, whatever else of the dialog is pressed: one continues typing.
        if (event.type === "mousedown" && event.target !== field()) event.preventDefault();
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      // Not sooner: what belongs to the same press would reach what lies beneath.
      if (event.type !== "pointerdown" && event.type !== "mousedown") close();
    };
    for (const type of PRESSES) window.addEventListener(type, press, { capture: true, signal });
    const key = (event: KeyboardEvent) => {
      // Then they are for what is being put together.
      if (event.isComposing) return;
      const isOut = !dialog.contains(document.activeElement);
      const isOurs = event.key === "Escape" || event.key === "Tab";
      // Something took the focus meanwhile: a key is not for what lies beneath.
      if (isOut) toField();
      if (event.key === "Escape") close();
      if (isOurs) event.preventDefault();
      if (isOurs || isOut) event.stopPropagation();
    };
    window.addEventListener("keydown", key, { capture: true, signal });
    return () => leave.abort();
  }, [box, open, close]);
}
