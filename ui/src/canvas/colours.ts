// Painting on bitmaps: colours of the stylesheet, read from an element that carries the classes, and read again when the theme
// changes.

import { useSession } from "../session/session";

/** Asks for a bitmap that the processor paints: many small shapes are slower where each goes to a graphics card. */
export const IN_MEMORY: CanvasRenderingContext2DSettings = { willReadFrequently: true };

/** Reads computed colours of elements with the given classes inside `host`. */
export class Colours {
  readonly #around: HTMLElement;
  readonly #probe: HTMLElement;
  readonly #known = new Map<string, string>();
  /** How often what was known has been forgotten: with it changes what is painted. */
  epoch = 0;

  /** `around`: the class of an element between `host` and those that are asked for, where a rule wants one. */
  constructor(host: HTMLElement, around = "") {
    this.#around = host.ownerDocument.createElement("span");
    this.#around.className = around;
    // Drawn nowhere, and not left out: WebKit gives what is left out no new colours when the theme changes.
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

/** Calls when colours may have become others. Returns what stops it. */
export function onThemeChange(call: () => void): () => void {
  const root = new MutationObserver(call);
  root.observe(document.documentElement, { attributes: true });
  const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"].map(
    (query) => matchMedia(query),
  );
  for (const query of queries) query.addEventListener("change", call);
  // Nor does it what is on a page that is kept hidden: its colours are those of the theme in which it was seen last.
  const stop = useSession.subscribe((now, before) => {
    if (now.view !== before.view) call();
  });
  return () => {
    stop();
    root.disconnect();
    for (const query of queries) query.removeEventListener("change", call);
  };
}
