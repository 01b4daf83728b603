// Shared code of the popups of lists and menus.
import { type KeyboardEvent, type SyntheticEvent, useState } from "react";

const stop = (event: SyntheticEvent) => event.stopPropagation();

/**
 * Returns whether an event's target is in the popup of a list or menu. A panel that closes on a press outside
 * must ignore such presses.
 */
export const isInPopup = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("[data-popup]") !== null;

/**
 * The props that position a popup below its button and within the window. `isInPopup` recognizes the popup by
 * the attribute `data-popup`.
 */
export const below = {
  side: "bottom",
  align: "start",
  sideOffset: 4,
  collisionPadding: 8,
  "data-popup": "",
} as const;

/** Returns whether every word of a search occurs in at least one of the texts. */
export function matches(search: string, ...texts: readonly (string | undefined)[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Returns the state of a popup, its container and its event handlers. `ref` is for the button. A modal dialog
 * makes everything outside inert, so a popup of a dialog is placed inside it.
 */
export function usePopup(onOpen?: () => void, startsOpen = false) {
  const [open, setOpen] = useState(startsOpen);
  const [button, setButton] = useState<HTMLElement | null>(null);
  const dialog = button?.closest("dialog");
  // React passes events of a popup to the component that opened it. They are stopped here: pressing an option
  // must not press the card behind it, and Escape must close only the popup.
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    setOpen(false);
  };
  return {
    button,
    ref: setButton,
    close: () => setOpen(false),
    container: dialog instanceof HTMLElement ? dialog : undefined,
    root: {
      open,
      onOpenChange: (next: boolean) => {
        setOpen(next);
        if (next) onOpen?.();
      },
    },
    events: { onClick: stop, onPointerDown: stop, onMouseDown: stop, onDoubleClick: stop, onKeyDown },
  };
}
