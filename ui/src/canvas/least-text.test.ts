// Next to a run, text on the canvas is never smaller than 10 px at the zoom used for a large flow.
import { expect, test } from "vitest";
import { rulesOf, stylesheets, tokensOf } from "../styles/stylesheets";
import { READABLE } from "./view/fit-view";

/** The minimum size, in screen pixels. */
const MIN_FONT_SIZE = 10;

const besideRun = rulesOf("canvas/Canvas.module.css").find(({ selector }) =>
  selector.startsWith(".canvas[data-beside-run]"),
);
const least = Number.parseFloat(besideRun?.declarations.get("--least-text") ?? "0");

/** The elements that zoom with the canvas. */
const ZOOMED = [
  ...stylesheets().filter((file) => file.startsWith("canvas/card/")),
  ...["Preview", "NoteBody", "ModelMenu"].map((name) => `node-ui/${name}.module.css`),
  ...["CanvasCard", "wires/WireEdge", "move/HullLayer", "move/GroupLayer", "add/GhostCard"].map(
    (name) => `canvas/${name}.module.css`,
  ),
  "components/CardText.module.css",
];

/**
 * Returns the size, in flow pixels, that a declared font size has while a run is shown; null if the rule
 * inherits the size.
 */
function sizeOf(declared: string): number | null {
  if (declared.includes("var(--least-text")) return least;
  const token = /var\(--(fs-\d+)\)/.exec(declared)?.[1];
  const value = token ? (besideRun?.declarations.get(`--${token}`) ?? tokensOf("dark").get(token)) : declared;
  if (value === "var(--least-text)") return least;
  const pixels = /([\d.]+)px/.exec(value ?? "")?.[1];
  return pixels === undefined ? null : Number(pixels);
}

const sized = ZOOMED.flatMap((file) => rulesOf(file)).flatMap(({ file, selector, declarations }) => {
  const declared = declarations.get("font-size") ?? declarations.get("font");
  const size = declared === undefined ? null : sizeOf(declared);
  return size === null ? [] : [{ rule: `${file}: ${selector}`, size }];
});

test("every size is large enough at the zoom of a run", () => {
  expect(sized.length).toBeGreaterThan(15);
  expect(sized.filter(({ size }) => size * READABLE < MIN_FONT_SIZE)).toEqual([]);
});

test("code in a text is not made smaller than that", () => {
  const relative = ["components/Message.module.css", "components/Markdown.module.css", ...ZOOMED]
    .flatMap((file) => rulesOf(file))
    .filter(({ declarations }) => declarations.get("font-size")?.includes("em"));
  expect(relative.length).toBeGreaterThan(1);
  for (const { selector, declarations } of relative)
    expect(declarations.get("font-size"), selector).toContain("var(--least-text, 0px)");
});

test("nothing in the window is set smaller than 10 px", () => {
  const sizes = stylesheets()
    .flatMap((file) => rulesOf(file))
    .flatMap(({ file, selector, declarations }) => {
      const declared = declarations.get("font-size") ?? declarations.get("font");
      const size = declared === undefined ? null : sizeOf(declared);
      return size === null ? [] : [{ rule: `${file}: ${selector}`, size }];
    });
  expect(sizes.length).toBeGreaterThan(100);
  expect(sizes.filter(({ size }) => size < MIN_FONT_SIZE)).toEqual([]);
});

test("the tools that lie over the canvas are not smaller either", () => {
  const over = [
    "CanvasTools",
    "view/ZoomBar",
    "view/Breadcrumbs",
    "add/Palette",
    "move/SelectionBar",
  ].flatMap((name) => rulesOf(`canvas/${name}.module.css`));
  const sizes = over.flatMap(({ selector, declarations }) => {
    const size = /^([\d.]+)px$/.exec(declarations.get("font-size") ?? "")?.[1];
    return size === undefined ? [] : [{ selector, size: Number(size) }];
  });
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.filter(({ size }) => size < MIN_FONT_SIZE)).toEqual([]);
});
