// The only tooltip of the window. It follows the pointer and the keyboard focus to any element with `tip(…)`.
// It appears after a moment and disappears with the first key, press or scroll, or with its element or page.

import { Tooltip as Base } from "@base-ui/react/tooltip";
import { useEffect, useState } from "react";
import styles from "./Tooltip.module.css";

/** The delay before a tooltip appears, in milliseconds. */
export const TOOLTIP_DELAY_MS = 400;

/**
 * The time in milliseconds after a tooltip closes during which the next one appears immediately, for moving
 * along a row of buttons.
 */
const FOLLOWING_MS = 300;

interface Shown {
  element: Element;
  text: string;
  keys: string | null;
}

const ID = "tooltip";

const tipped = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-tip]") : null;

/** Returns whether a tooltip with this text would only repeat what the element already shows in full. */
function repeats(element: Element, text: string): boolean {
  if (element.textContent?.trim() !== text.trim()) return false;
  return [element, ...element.querySelectorAll("*")].every(
    (part) => part.scrollWidth <= part.clientWidth + 1 && part.scrollHeight <= part.clientHeight + 1,
  );
}

function read(element: Element): Shown | null {
  const text = element.getAttribute("data-tip") ?? "";
  const keys = element.getAttribute("data-tip-keys");
  if (!element.isConnected || text === "" || (keys === null && repeats(element, text))) return null;
  return { element, text, keys };
}

/**
 * Watches the pointer and the focus. `show` receives each tooltip when it appears, and null when it
 * disappears. Returns a function that stops watching.
 */
function followTips(show: (shown: Shown | null) => void): () => void {
  let over: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isShown = false;
  let hiddenAt = Number.NEGATIVE_INFINITY;

  // The tooltip is updated while shown: its page may be left, its row scrolled away, or its text changed.
  const watch = new MutationObserver(() => {
    const next = over?.isConnected ? read(over) : null;
    if (next) show(next);
    else hide();
  });
  const hide = () => {
    clearTimeout(timer);
    if (!isShown) return;
    isShown = false;
    hiddenAt = performance.now();
    watch.disconnect();
    show(null);
  };
  const open = () => {
    const next = over && read(over);
    if (!next) return;
    isShown = true;
    watch.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ["data-tip", "data-tip-keys"],
    });
    show(next);
  };
  const enter = (element: Element | null) => {
    if (element === over) return;
    hide();
    over = element;
    if (element === null) return;
    const isFollowing = performance.now() - hiddenAt < FOLLOWING_MS;
    timer = setTimeout(open, isFollowing ? 0 : TOOLTIP_DELAY_MS);
  };

  const leave = new AbortController();
  const options = { capture: true, passive: true, signal: leave.signal };
  window.addEventListener(
    "pointerover",
    (event) => {
      // During a drag no tooltip appears.
      if (event.buttons === 0) enter(tipped(event.target));
    },
    options,
  );
  window.addEventListener(
    "focusin",
    ({ target }) => {
      if (target instanceof Element && target.matches(":focus-visible")) enter(tipped(target));
    },
    options,
  );
  window.addEventListener("focusout", () => enter(null), options);
  document.documentElement.addEventListener("pointerleave", () => enter(null), { signal: leave.signal });
  // After one of these events the tooltip stays hidden until the pointer leaves the element, since a pressed
  // button needs no explanation.
  for (const type of ["pointerdown", "keydown", "wheel", "scroll", "blur"] as const)
    window.addEventListener(type, hide, options);
  return () => {
    leave.abort();
    hide();
  };
}

/**
 * Makes the visible tooltip the element's description for screen readers, if it adds something to the
 * element's name. Returns a function that undoes this.
 */
function describe({ element, text }: Shown): (() => void) | undefined {
  if (element.hasAttribute("aria-describedby") || element.getAttribute("aria-label") === text) return;
  element.setAttribute("aria-describedby", ID);
  return () => element.removeAttribute("aria-describedby");
}

export function Tooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => followTips(setShown), []);
  useEffect(() => (shown ? describe(shown) : undefined), [shown]);
  if (shown === null) return null;
  const dialog = shown.element.closest("dialog");
  return (
    <Base.Root open>
      {/* A modal dialog covers everything outside of it. */}
      <Base.Portal container={dialog instanceof HTMLElement ? dialog : undefined}>
        <Base.Positioner
          className={styles.tooltipPlace}
          anchor={shown.element}
          side="bottom"
          sideOffset={6}
          collisionPadding={8}
        >
          <Base.Popup id={ID} role="tooltip" className={styles.tooltip} data-testid="tooltip">
            {shown.text}
            {shown.keys && <kbd>{shown.keys}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
