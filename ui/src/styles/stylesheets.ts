// Helpers for tests of the styles: the rules of every stylesheet, the tokens of each theme and preference,
// and the contrast of two colours according to WCAG 2.2.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const SOURCE = path.resolve(import.meta.dirname, "..");

export type Rule = {
  readonly file: string;
  readonly selector: string;
  /** The condition around the rule, such as `@media (prefers-contrast: more)`; empty if there is none. */
  readonly within: string;
  readonly declarations: ReadonlyMap<string, string>;
};

const plain = (css: string): string => css.replace(/\/\*[\s\S]*?\*\//g, "");

export const readStylesheet = (file: string): string => readFileSync(path.join(SOURCE, file), "utf8");

export const stylesheets = (): string[] =>
  readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css"))
    .sort();

/** Returns the declarations of a block. If a name is set twice, the last one counts. */
function declarationsOf(block: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of block.split(";")) {
    const at = part.indexOf(":");
    if (at > 0)
      found.set(
        part.slice(0, at).trim(),
        part
          .slice(at + 1)
          .trim()
          .replace(/\s+/g, " "),
      );
  }
  return found;
}

/** Returns the rules of a stylesheet, including those inside conditions such as `@media`. */
export function rulesOf(file: string, css = plain(readStylesheet(file)), within = ""): Rule[] {
  const rules: Rule[] = [];
  let at = 0;
  while (at < css.length) {
    const open = css.indexOf("{", at);
    if (open < 0) break;
    const prelude = css.slice(css.lastIndexOf(";", open) < at ? at : css.lastIndexOf(";", open) + 1, open);
    let depth = 1;
    let close = open + 1;
    for (; depth > 0 && close < css.length; close++)
      depth += css[close] === "{" ? 1 : css[close] === "}" ? -1 : 0;
    const selector = prelude.trim().replace(/\s+/g, " ");
    const body = css.slice(open + 1, close - 1);
    if (/^@(media|supports|layer|container)/.test(selector))
      rules.push(...rulesOf(file, body, `${within} ${selector}`.trim()));
    else if (!selector.startsWith("@"))
      rules.push({ file, selector, within, declarations: declarationsOf(body) });
    at = close;
  }
  return rules;
}

export type Tokens = ReadonlyMap<string, string>;
export type Theme = "dark" | "light";

/** The selector of the root element if the user prefers more contrast. */
export const MORE_CONTRAST = ':where([data-contrast="more"])';

/**
 * Returns the tokens of a theme. `wish` selects a preference: `MORE_CONTRAST`, or a media condition such as
 * `forced-colors: active`. Tokens that the preference overrides have its values.
 */
export function tokensOf(theme: Theme, wish: string | null = null): Tokens {
  const tokens = new Map<string, string>();
  const names = [":root", "[data-theme]", `[data-theme="${theme}"]`];
  for (const file of ["styles/tokens.css", "styles/contrast.css"])
    for (const { selector: written, within, declarations } of rulesOf(file)) {
      const isOfContrast = written.startsWith(MORE_CONTRAST);
      const isAsked = isOfContrast
        ? wish === MORE_CONTRAST
        : within === "" || (wish !== null && within.includes(wish));
      const selector = written.replaceAll(MORE_CONTRAST, "");
      // A rule for the root applies to both themes, unless it names the other one.
      const parts = selector.split(", ");
      const isOfTheme = parts.includes(`[data-theme="${theme}"]`) || !selector.includes('="');
      if (!isAsked || !isOfTheme || !parts.some((part) => names.includes(part))) continue;
      for (const [name, value] of declarations) if (name.startsWith("--")) tokens.set(name.slice(2), value);
    }
  return tokens;
}

/** A colour: red, green and blue from 0 to 255, and alpha from 0 to 1. */
export type Colour = readonly [number, number, number, number];

/** Parses a colour; returns null for other values, such as a length or a shadow. */
export function colourOf(value: string): Colour | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(value);
  if (hex) return [...hex.slice(1).map((part) => Number.parseInt(part, 16)), 1] as unknown as Colour;
  const rgb = /^rgba?\(([\d.]+), ?([\d.]+), ?([\d.]+)(?:, ?([\d.]+))?\)$/.exec(value);
  return rgb ? [Number(rgb[1]), Number(rgb[2]), Number(rgb[3]), Number(rgb[4] ?? 1)] : null;
}

/** Returns the colour that results from blending `top` over the opaque colour `ground`. */
export const over = (top: Colour, ground: Colour): Colour => {
  const mixed = [0, 1, 2].map((i) => (top[i] ?? 0) * top[3] + (ground[i] ?? 0) * (1 - top[3]));
  return [...mixed, 1] as unknown as Colour;
};

function luminance([red, green, blue]: Colour): number {
  const [r, g, b] = [red, green, blue].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Returns the contrast ratio of two opaque colours, from 1 to 21, computed from the relative luminance of
 * WCAG 2.2.
 */
export function contrast(one: Colour, other: Colour): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}
