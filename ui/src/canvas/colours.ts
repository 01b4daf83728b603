// Reads colours for painting on bitmaps. They come from the stylesheet, through an element with the right
// classes, and are read again when the theme changes.

import { useSession } from "../session/session";

/** Requests a bitmap painted by the CPU, because many small shapes are slower on a graphics card. */
export const IN_MEMORY: CanvasRenderingContext2DSettings = { willReadFrequently: true };

/** Reads the colours that elements with given classes would have inside `host`. */
export class Colours {
  readonly #around: HTMLElement;
  readonly #probe: HTMLElement;
  readonly #known = new Map<string, string>();
  /** The number of times the cache was cleared. A new value means that bitmaps must be repainted. */
  epoch = 0;

  constructor(host: HTMLElement) {
    this.#around = host.ownerDocument.createElement("span");
    // The element is invisible but rendered, because WebKit does not update the colours of unrendered
    // elements when the theme changes.
    this.#around.style.cssText = "position:absolute;width:0;height:0;overflow:hidden;visibility:hidden";
    this.#around.ariaHidden = "true";
    this.#probe = host.ownerDocument.createElement("i");
    this.#around.append(this.#probe);
    host.append(this.#around);
  }

  of(classes: string, property: "fill" | "stroke" | "color" | "background-color" | "outline-color"): string {
    const key = `${property} ${classes}`;
    let colour = this.#known.get(key);
    if (colour === undefined) {
      this.#probe.className = classes;
      colour = getComputedStyle(this.#probe).getPropertyValue(property);
      this.#known.set(key, colour);
    }
    return colour;
  }

  forget(): void {
    this.epoch += 1;
    this.#known.clear();
  }

  remove(): void {
    this.#around.remove();
  }
}

/** Calls back when colours may have changed. Returns a function that stops the calls. */
export function onThemeChange(call: () => void): () => void {
  const root = new MutationObserver(call);
  root.observe(document.documentElement, { attributes: true });
  const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"].map(
    (query) => matchMedia(query),
  );
  for (const query of queries) query.addEventListener("change", call);
  // Elements on a hidden page also keep the colours of the theme in which they were last visible, so a change
  // of page counts as well.
  const stop = useSession.subscribe((now, before) => {
    if (now.view !== before.view) call();
  });
  return () => {
    stop();
    root.disconnect();
    for (const query of queries) query.removeEventListener("change", call);
  };
}
