// What the popups of lists and menus have in common.
import { type KeyboardEvent, type SyntheticEvent, useState } from "react";

const stop = (event: SyntheticEvent) => event.stopPropagation();

/** Whether something is in the popup of a list or menu: for panels that a press outside of them closes. */
export const isInPopup = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(".popup-place") !== null;

/** Where a popup opens: below its button, within the window. */
export const below = { side: "bottom", align: "start", sideOffset: 4, collisionPadding: 8 } as const;

/** Whether every word of a search is in one of the texts. */
export function matches(search: string, ...texts: readonly (string | undefined)[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Whether a popup is open, what it is put into, and its events. `ref` is for the button. A modal dialog makes everything outside
 * of it inert, so a popup of a dialog is put into it.
 */
export function usePopup(onOpen?: () => void, startsOpen = false) {
  const [open, setOpen] = useState(startsOpen);
  const [button, setButton] = useState<HTMLElement | null>(null);
  const dialog = button?.closest("dialog");
  // React passes events of a popup on to the component that opened it: a press on an option is no press on the card behind,
  // and Escape closes this and nothing behind it.
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
