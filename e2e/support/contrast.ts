// Measures the contrast of the visible words, by the definition of WCAG 2.2, from the colours that the web
// view computed. The backgrounds behind a word and the opacity of every enclosing element count.
import type { Browser } from "./types";

/** A description of text with too little contrast: its element, the text, and the contrast ratio. */
export type Faint = string;

/**
 * Returns the number of measured texts inside `selector`, and descriptions of those whose contrast is below
 * `least`. For large text, as WCAG defines it, the limit is `leastLarge`. Disabled and invisible text is left
 * out. An unreadable colour is an error.
 */
export async function faintWords(
  browser: Browser,
  selector: string,
  least = 4.5,
  leastLarge = 3,
): Promise<{ measured: number; faint: Faint[] }> {
  return browser.execute(
    (within: string, need: number, needLarge: number) => {
      type Rgba = readonly [number, number, number, number];
      const colour = (css: string): Rgba => {
        if (css === "transparent") return [0, 0, 0, 0];
        const parts = (css.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
        const [r = 0, g = 0, b = 0, a = 1] = parts;
        if (css.startsWith("rgb")) return [r, g, b, a];
        if (css.startsWith("color(srgb ")) return [r * 255, g * 255, b * 255, a];
        throw new Error(`the colour ${css} cannot be read`);
      };
      const over = ([r, g, b, a]: Rgba, [x, y, z]: Rgba): Rgba => [
        r * a + x * (1 - a),
        g * a + y * (1 - a),
        b * a + z * (1 - a),
        1,
      ];
      const luminance = ([r, g, b]: Rgba) => {
        const [x = 0, y = 0, z = 0] = [r, g, b].map((part) => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
      };
      const ratio = (one: Rgba, other: Rgba) => {
        const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      };
      /** Returns the colours that an element paints behind its text: for a gradient, each of its stops. */
      const groundsOf = (style: CSSStyleDeclaration): Rgba[] => {
        const stops = style.backgroundImage.includes("gradient")
          ? (style.backgroundImage.match(/(?:rgba?|color)\([^()]*\)/g) ?? []).map(colour)
          : [];
        return stops.length > 0 ? stops : [colour(style.backgroundColor)];
      };
      /** Returns the lowest contrast of a colour with what is behind the element. */
      const lowest = (element: Element, ink: Rgba): number => {
        // From the element to the first opaque background. An opacity makes background and words alike
        // fainter.
        const layers: { grounds: Rgba[]; opacity: number }[] = [];
        for (let at: Element | null = element; at; at = at.parentElement) {
          const style = getComputedStyle(at);
          layers.push({ grounds: groundsOf(style), opacity: Number(style.opacity) });
          const isOpaque = layers.at(-1)?.grounds.every(([, , , alpha]) => alpha === 1);
          const isFaded = layers.some(({ opacity }) => opacity < 1);
          if (isOpaque && !isFaded) break;
        }
        const base: Rgba = [255, 255, 255, 1];
        const paint = (i: number, behind: Rgba): number => {
          const layer = layers[i];
          if (!layer) return Number.POSITIVE_INFINITY;
          return Math.min(
            ...layer.grounds.map((own) => {
              const ground = over([own[0], own[1], own[2], own[3] * fade(i)], behind);
              if (i > 0) return paint(i - 1, ground);
              return ratio(over([ink[0], ink[1], ink[2], ink[3] * fade(0)], ground), ground);
            }),
          );
        };
        /**
         * Returns the share of the layer's paint that remains after its own opacity and the enclosing ones.
         */
        const fade = (i: number) => layers.slice(i).reduce((left, { opacity }) => left * opacity, 1);
        return paint(layers.length - 1, base);
      };
      const isOff = (element: Element) =>
        element.closest(":disabled, [aria-disabled=true], [data-disabled], [inert], [hidden]") !== null ||
        (element.closest("label") as HTMLLabelElement | null)?.control?.matches(":disabled") === true;
      /**
       * Returns whether an element is visible: not hidden, not covered, and not outside its scroll container
       * or the window.
       */
      const isSeen = (element: Element, box: DOMRect) => {
        if (box.width < 2 || box.height < 2) return false;
        const style = getComputedStyle(element);
        if (style.visibility !== "visible") return false;
        const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
        const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
        if (box.right < 0 || box.bottom < 0 || box.left > innerWidth || box.top > innerHeight) return false;
        for (let at: Element | null = element; at; at = at.parentElement)
          if (getComputedStyle(at).opacity === "0") return false;
        const top = document.elementFromPoint(x, y);
        return top === null || top === element || top.contains(element) || element.contains(top);
      };
      let measured = 0;
      const faint: string[] = [];
      for (const root of document.querySelectorAll(within)) {
        const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (words.nextNode()) {
          const text = words.currentNode.textContent?.trim() ?? "";
          const element = words.currentNode.parentElement;
          if (text === "" || !element || element.closest("script, style, title, option") || isOff(element))
            continue;
          const range = document.createRange();
          range.selectNodeContents(words.currentNode);
          if (!isSeen(element, range.getBoundingClientRect())) continue;
          const style = getComputedStyle(element);
          const ink = colour(element instanceof SVGElement ? style.fill : style.color);
          const size = Number.parseFloat(style.fontSize);
          const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
          const found = lowest(element, ink);
          measured += 1;
          if (found < (isLarge ? needLarge : need) - 0.005) {
            const name = `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`;
            const around = element.parentElement?.getAttribute("class") ?? "";
            faint.push(`${found.toFixed(2)} ${name} in .${around}: “${text.slice(0, 40)}”`);
          }
        }
      }
      return { measured, faint: [...new Set(faint)] };
    },
    selector,
    least,
    leastLarge,
  );
}
