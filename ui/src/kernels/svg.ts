// Writes a picture as SVG. Shapes, lines of text and colours are written in a form that any viewer
// understands. Pure.
import type { Box } from "./geometry";

const numbers = (text: string): number[] => (text.match(/-?[\d.]+(e-?\d+)?%?/g) ?? []).map(Number.parseFloat);

/**
 * Converts a computed colour to hex and opacity, since style engines also write `color(srgb …)`, which few
 * viewers support. Null if there is no colour.
 */
export function plainColour(css: string): { hex: string; opacity: number } | null {
  const text = css.trim();
  if (text === "" || text === "none" || text === "transparent") return null;
  const srgb = /^color\(srgb\s+/.test(text);
  if (!srgb && !text.startsWith("rgb")) return text.startsWith("#") ? { hex: text, opacity: 1 } : null;
  const [r = 0, g = 0, b = 0, alpha = 1] = numbers(text.slice(text.indexOf("(")).replace("srgb", ""));
  if (alpha === 0) return null;
  const hex = [r, g, b]
    .map((part) => Math.round(Math.max(0, Math.min(255, srgb ? part * 255 : part))))
    .map((part) => part.toString(16).padStart(2, "0"))
    .join("");
  return { hex: `#${hex}`, opacity: alpha };
}

/**
 * Returns the ring drawn by a shadow without blur and offset, such as `rgb(1, 2, 3) 0px 0px 0px 1px`; null if
 * no part of the shadow is such a ring.
 */
export function ringOf(shadow: string): { colour: string; width: number; inset: boolean } | null {
  for (const part of shadow.split(/,(?![^(]*\))/)) {
    const match = /^\s*((?:rgb|color)[^)]*\))\s+0px\s+0px\s+0px\s+([\d.]+)px\s*(inset)?\s*$/.exec(part);
    if (match?.[1] !== undefined)
      return { colour: match[1], width: Number(match[2]), inset: match[3] !== undefined };
  }
  return null;
}

export const escaped = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

const round = (value: number): string => String(Math.round(value * 100) / 100);

export type Attributes = Readonly<Record<string, string | number | null | undefined>>;

/** Returns an SVG element as text. Null and empty attributes are left out. */
export function tag(name: string, attributes: Attributes, inside = ""): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? round(value) : escaped(String(value))}"`)
    .join("");
  return inside === "" ? `<${name}${written}/>` : `<${name}${written}>${inside}</${name}>`;
}

/** Returns the attributes that paint with a colour: `fill` or `stroke` with its opacity, or `none`. */
export function paintAttribute(property: "fill" | "stroke", css: string): Attributes {
  const colour = plainColour(css);
  if (!colour) return { [property]: "none" };
  return { [property]: colour.hex, [`${property}-opacity`]: colour.opacity < 1 ? colour.opacity : null };
}

/**
 * Returns the content of `bounds`, on a background, as a complete SVG picture. `faces` is the CSS of the
 * embedded fonts.
 */
export function picture(parts: readonly string[], bounds: Box, ground: string, faces = ""): string {
  const width = bounds.right - bounds.left;
  const height = bounds.bottom - bounds.top;
  const view = [bounds.left, bounds.top, width, height].map(round).join(" ");
  const under = tag("rect", {
    x: bounds.left,
    y: bounds.top,
    width,
    height,
    ...paintAttribute("fill", ground),
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}" width="${round(width)}" height="${round(height)}">${faces && `<style>${faces}</style>`}${under}${parts.join("")}</svg>`;
}
