// The one tooltip of the window. It follows the pointer and the keyboard's focus to whatever has `tip(…)`, appears after a
// moment, and goes with the first key, press or scroll, and with its element or page.
import { Tooltip as Base } from "@base-ui/react/tooltip";
import { useEffect, useState } from "react";

/** From resting on an element until its tooltip shows, in milliseconds. */
export const TOOLTIP_DELAY_MS = 400;

/** A tooltip that follows another one so soon shows at once: then somebody reads along a row of buttons. */
const FOLLOWING_MS = 300;

interface Shown {
  element: Element;
  text: string;
  keys: string | null;
}

const ID = "tooltip";

const tipped = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-tip]") : null;

/** Whether the tooltip would only repeat a text that can be read in full. */
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

/** Follows pointer and focus; `show` gets what to show, and null when that ends. Returns how to stop. */
function followTips(show: (shown: Shown | null) => void): () => void {
  let over: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isShown = false;
  let hiddenAt = Number.NEGATIVE_INFINITY;

  // A page that is left, a row that scrolls away, a button whose words change: the tooltip follows while it is shown.
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
      // While something is dragged nobody reads.
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
  // The element keeps it until it is left: what was just pressed needs no explanation.
  for (const type of ["pointerdown", "keydown", "wheel", "scroll", "blur"] as const)
    window.addEventListener(type, hide, options);
  return () => {
    leave.abort();
    hide();
  };
}

/** Tells screen readers of the tooltip, as long as it is shown, where it says more than the element's name. */
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
      {/* A modal dialog lies over everything outside of it. */}
      <Base.Portal container={dialog instanceof HTMLElement ? dialog : undefined}>
        <Base.Positioner
          className="tooltip-place"
          anchor={shown.element}
          side="bottom"
          sideOffset={6}
          collisionPadding={8}
        >
          <Base.Popup id={ID} role="tooltip" className="tooltip" data-testid="tooltip">
            {shown.text}
            {shown.keys && <kbd>{shown.keys}</kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
