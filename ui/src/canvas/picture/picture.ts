// Exports the canvas as a picture. What is drawn is read from the page and written as shapes and text, which
// every viewer can show, unlike embedded HTML. Cards and wires that are not drawn, because they are out of
// view or the canvas is zoomed out, become boxes and lines.
import { useDocument } from "../../document/document";
import { type Box, boundsOf, grown, type Point } from "../../kernels/geometry";
import { titleOf } from "../../kernels/node-title";
import { type Attributes, escaped, paintAttribute, picture, ringOf, tag } from "../../kernels/svg";
import { useScene } from "../../scene/scene";
import { canvasView, type PictureForm } from "../../session/canvas-view";

/** The margin around the content, in pixels. */
const MARGIN = 40;
/** The baseline of text, as a fraction of the line height from the top. */
const BASELINE = 0.78;
/** The longest side of a PNG, in pixels. A web view may refuse to paint more. */
const MAX_SIDE = 8000;
const DENSITY = 2;

/** Matches a rotation by about 45 degrees. */
const TURNED = /^matrix\(0\.[5-9]\d*, 0\.[5-9]/;

const GEOMETRY = [
  "d",
  "cx",
  "cy",
  "r",
  "rx",
  "ry",
  "x",
  "y",
  "width",
  "height",
  "x1",
  "x2",
  "y1",
  "y2",
  "points",
];
const SHAPES = "path, circle, rect, line, polyline, polygon, ellipse";

/** Converts window pixels to flow pixels. */
class Place {
  readonly #origin: Point;
  readonly #zoom: number;

  constructor(viewport: Element) {
    const { left, top } = viewport.getBoundingClientRect();
    this.#origin = { x: left, y: top };
    this.#zoom = canvasView()?.zoom() ?? 1;
  }

  box({ left, top, right, bottom }: Box): Box {
    const at = (value: number, origin: number) => (value - origin) / this.#zoom;
    return {
      left: at(left, this.#origin.x),
      right: at(right, this.#origin.x),
      top: at(top, this.#origin.y),
      bottom: at(bottom, this.#origin.y),
    };
  }

  /**
   * Returns the transform of a shape into flow coordinates: from the shape to its drawing, as the style
   * engine reports it, and from there to the flow. `corner` is the drawing's top left corner.
   */
  matrix({ a, b, c, d, e, f }: DOMMatrix, corner: DOMRect): string {
    const x = (corner.left - this.#origin.x) / this.#zoom;
    const y = (corner.top - this.#origin.y) / this.#zoom;
    return `matrix(${[a, b, c, d, e + x, f + y].join(" ")})`;
  }
}

const hidden = (style: CSSStyleDeclaration): boolean =>
  style.display === "none" || style.visibility === "hidden" || style.opacity === "0";

/** Returns the background of an element. A gradient is replaced by its first colour. */
function groundOf(style: CSSStyleDeclaration): Attributes {
  const plain = paintAttribute("fill", style.backgroundColor);
  const first = /(?:rgb|color)[^)]*\)/.exec(style.backgroundImage)?.[0];
  return plain.fill === "none" && first !== undefined ? paintAttribute("fill", first) : plain;
}

function ringAround(style: CSSStyleDeclaration): { colour: string; width: number; inset: boolean } | null {
  const width = Number.parseFloat(style.borderTopWidth) || 0;
  const framed =
    width > 0 && style.borderTopStyle === "solid" && Number.parseFloat(style.borderLeftWidth) > 0;
  return framed ? { colour: style.borderTopColor, width, inset: true } : ringOf(style.boxShadow);
}

function boxOf(element: Element, style: CSSStyleDeclaration, place: Place): string {
  const outer = place.box(element.getBoundingClientRect());
  if (outer.right <= outer.left || outer.bottom <= outer.top) return "";
  const fill = groundOf(style);
  const ring = ringAround(style);
  if (fill.fill === "none" && !ring) return "";
  const { left, top, right, bottom } = ring ? grown(outer, (ring.inset ? -0.5 : 0.5) * ring.width) : outer;
  const line = ring ? { ...paintAttribute("stroke", ring.colour), "stroke-width": ring.width } : {};
  if (TURNED.test(style.transform)) {
    // Some sockets are rotated by 45 degrees, so their bounding box is larger than they are.
    const [x, y, half] = [(left + right) / 2, (top + bottom) / 2, (right - left) / 2];
    const d = `M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}Z`;
    return tag("path", { d, ...fill, ...line });
  }
  const size = { x: left, y: top, width: right - left, height: bottom - top };
  const rounded = Number.parseFloat(style.borderTopLeftRadius) || 0;
  const percent = style.borderTopLeftRadius.endsWith("%");
  const half = Math.min(size.width, size.height) / 2;
  if (rounded > 0 && !percent && Number.parseFloat(style.borderBottomLeftRadius) === 0) {
    // The head of a card is round at the top and square where the card continues.
    const r = Math.min(rounded, half);
    const d = `M${left} ${bottom}V${top + r}Q${left} ${top} ${left + r} ${top}H${right - r}Q${right} ${top} ${right} ${top + r}V${bottom}Z`;
    return tag("path", { d, ...fill, ...line });
  }
  return tag("rect", { ...size, rx: percent ? half : Math.min(rounded, half), ...fill, ...line });
}

/**
 * Returns the pieces of a word, one for each line. Most words are in one piece, but a long one may be broken
 * anywhere.
 */
function piecesOf(text: Text, from: number, to: number): [string, DOMRect][] {
  const range = document.createRange();
  const rectsOf = (start: number, end: number) => {
    range.setStart(text, start);
    range.setEnd(text, end);
    // At the start of a line WebKit also returns the end of the previous line.
    return [...range.getClientRects()].filter((rect) => rect.width >= 0.5);
  };
  const [whole, ...more] = rectsOf(from, to);
  if (!whole) return [[text.data.slice(from, to), new DOMRect()]];
  if (more.length === 0) return [[text.data.slice(from, to), whole]];
  const pieces: [string, DOMRect][] = [];
  for (let i = from; i < to; i++) {
    const [at] = rectsOf(i, i + 1);
    const last = pieces.at(-1);
    if (!at) continue;
    if (!last || Math.abs(at.top - last[1].top) > at.height / 2) pieces.push([text.data.charAt(i), at]);
    else {
      last[0] += text.data.charAt(i);
      last[1] = new DOMRect(last[1].left, last[1].top, at.right - last[1].left, last[1].height);
    }
  }
  return pieces;
}

/** The width of an ellipsis, as a fraction of the line height. */
const DOTS = 0.6;

/** Yields the lines of the text, each with its position. */
function* linesOf(text: Text): Generator<[string, DOMRect]> {
  let words: [string, DOMRect][] = [];
  const line = (): [string, DOMRect][] => {
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) return [];
    const { left, top, height } = first[1];
    const lineText = words.map(([word]) => word).join(" ");
    return [[lineText, new DOMRect(left, top, last[1].right - left, height)]];
  };
  for (const match of text.data.matchAll(/\S+/g)) {
    for (const [word, at] of piecesOf(text, match.index, match.index + match[0].length)) {
      const last = words.at(-1);
      if (at.width === 0) {
        // If the text is truncated, an ellipsis covers its end and part of the previous word.
        if (!last || words.length === 1 || last[0] === "…") continue;
        const before = words.at(-2)?.[1] ?? last[1];
        const dots = new DOMRect(before.right, before.top, before.height * DOTS, before.height);
        words = [...words.slice(0, -1), ["…", dots]];
      } else if (last && Math.abs(at.top - last[1].top) < at.height / 2) words.push([word, at]);
      else {
        yield* line();
        words = [[word, at]];
      }
    }
  }
  yield* line();
}

function textAt(words: string, at: Box, style: CSSStyleDeclaration): string {
  const size = Number.parseFloat(style.fontSize);
  const middle = (at.top + at.bottom) / 2;
  const attributes = {
    x: at.left,
    y: middle - size / 2 + size * (BASELINE + 0.08),
    "font-size": size,
    "font-family": style.fontFamily.includes("Mono") ? "JetBrains Mono, monospace" : "Inter, sans-serif",
    "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
    // A substituted font takes the same width.
    textLength: at.right - at.left,
    lengthAdjust: "spacingAndGlyphs",
    ...paintAttribute("fill", style.color),
  };
  return tag("text", attributes, escaped(words));
}

/**
 * Returns the part of a line that is visible within the clipping box: the whole line, or its beginning with
 * an ellipsis. Null if no part is visible.
 */
function seenOf(words: string, line: DOMRect, clip: DOMRect | null): [string, Box] | null {
  if (clip === null || line.width === 0) return [words, line];
  const middle = (line.top + line.bottom) / 2;
  if (middle > clip.bottom || middle < clip.top || line.left >= clip.right) return null;
  if (line.right <= clip.right + 1) return [words, line];
  const { left, top, bottom } = line;
  const kept = Math.floor((words.length * (clip.right - left)) / line.width) - 1;
  return kept < 1 ? null : [`${words.slice(0, kept).trimEnd()}…`, { left, top, bottom, right: clip.right }];
}

function textsOf(text: Text, style: CSSStyleDeclaration, place: Place, clip: DOMRect | null): string {
  const lines = [...linesOf(text)];
  const seen = lines.flatMap(([words, rect]) => {
    const part = seenOf(words, rect, clip);
    return part ? [part] : [];
  });
  const [last] = seen.slice(-1);
  // Text with a line limit ends with an ellipsis if it has more lines. WebKit does not report the ellipsis's
  // position.
  if (last && seen.length < lines.length && style.webkitLineClamp !== "none" && !last[0].endsWith("…"))
    last[0] = `${last[0]}…`;
  return seen.map(([words, box]) => textAt(words, place.box(box), style)).join("");
}

function shapesOf(svg: SVGSVGElement, place: Place): string {
  // The screen transform is not used, because WebKit omits the zoom of the canvas from it.
  const corner = svg.getBoundingClientRect();
  const parts = [...svg.querySelectorAll<SVGGraphicsElement>(SHAPES)].map((shape) => {
    if (
      shape.closest("defs, clipPath, mask, marker") ||
      /interaction|edgeupdater/.test(shape.getAttribute("class") ?? "")
    )
      return "";
    const style = getComputedStyle(shape);
    const matrix = shape.getCTM();
    if (hidden(style) || !matrix) return "";
    const own = Object.fromEntries(GEOMETRY.map((name) => [name, shape.getAttribute(name)]));
    return tag(shape.tagName, {
      ...own,
      transform: place.matrix(matrix, corner),
      ...paintAttribute("fill", style.fill),
      ...paintAttribute("stroke", style.stroke),
      "fill-opacity": style.fillOpacity === "1" ? null : style.fillOpacity,
      "stroke-width": style.strokeWidth,
      "stroke-dasharray": style.strokeDasharray === "none" ? null : style.strokeDasharray,
      "stroke-linecap": style.strokeLinecap === "butt" ? null : style.strokeLinecap,
      "stroke-linejoin": style.strokeLinejoin === "miter" ? null : style.strokeLinejoin,
      opacity: style.opacity === "1" ? null : style.opacity,
    });
  });
  return parts.join("");
}

/** Returns an element as SVG. `around` is the box that clips the text inside, if any. */
function elementSvg(element: Element, place: Place, around: DOMRect | null = null): string {
  const style = getComputedStyle(element);
  if (hidden(style)) return "";
  if (element instanceof SVGSVGElement) return shapesOf(element, place);
  let inside = boxOf(element, style, place);
  if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) {
    const words =
      element instanceof HTMLSelectElement
        ? (element.selectedOptions[0]?.text ?? "")
        : element.value || element.placeholder;
    const at = place.box(element.getBoundingClientRect());
    const size = Number.parseFloat(style.fontSize);
    const pad = Number.parseFloat(style.paddingLeft) || 0;
    const width = Math.min(at.right - at.left - pad, words.length * size * 0.52);
    const left =
      style.textAlign === "center" ? (at.left + at.right - width) / 2 : at.left + Math.min(pad, size);
    if (words !== "") inside += textAt(words, { ...at, left, right: left + width }, style);
    return inside;
  }
  const clip = style.overflowY === "visible" ? around : element.getBoundingClientRect();
  for (const child of element.childNodes) {
    if (child instanceof Text) inside += textsOf(child, style, place, clip);
    else if (child instanceof Element) inside += elementSvg(child, place, clip);
  }
  return style.opacity === "1" || inside === "" ? inside : tag("g", { opacity: style.opacity }, inside);
}

/** Returns boxes for the cards that are not currently drawn as elements. */
function plainCards(shown: ReadonlySet<string>, colours: CSSStyleDeclaration): string {
  const { document: flow } = useDocument.getState();
  const boxes = canvasView()?.boxes();
  return flow.nodes
    .flatMap((node) => {
      const box = boxes?.get(node.id);
      if (!box || shown.has(node.id)) return [];
      const size = { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top };
      const fill = colours.getPropertyValue("--bg-node");
      const title = titleOf(node);
      return [
        tag("rect", {
          ...size,
          rx: 10,
          fill: fill.trim(),
          stroke: colours.getPropertyValue("--line-2").trim(),
        }),
        tag(
          "text",
          {
            x: box.left + 12,
            y: box.top + 22,
            "font-size": 12.5,
            "font-family": "Inter, sans-serif",
            fill: colours.getPropertyValue("--text-1").trim(),
          },
          escaped(title),
        ),
      ];
    })
    .join("");
}

/** Returns lines, from card to card, for the wires that are not currently drawn as elements. */
function plainWires(shown: ReadonlySet<string>, colours: CSSStyleDeclaration): string {
  const boxes = canvasView()?.boxes();
  return useScene
    .getState()
    .wires.flatMap(({ edge, ends }) => {
      const from = boxes?.get(ends?.source ?? edge.source);
      const to = boxes?.get(ends?.target ?? edge.target);
      if (!from || !to || shown.has(edge.id)) return [];
      const [x1, y1, x2, y2] = [from.right, from.top + 45, to.left, to.top + 45];
      const pull = Math.max(40, Math.abs(x2 - x1) / 2);
      const d = `M${x1} ${y1}C${x1 + pull} ${y1} ${x2 - pull} ${y2} ${x2} ${y2}`;
      return [
        tag("path", {
          d,
          fill: "none",
          stroke: colours.getPropertyValue("--wire-any").trim(),
          "stroke-width": 2,
        }),
      ];
    })
    .join("");
}

const ids = (root: Element, selector: string): Set<string> =>
  new Set([...root.querySelectorAll<HTMLElement>(selector)].map((element) => element.dataset.id ?? ""));

/**
 * Calls `read` while nothing on the page is marked as selected, and returns its result. The change is undone
 * before the page is painted.
 */
function unmarked<T>(root: Element, read: () => T): T {
  const cards = [...root.querySelectorAll("[data-selected]")];
  const elements = [...root.querySelectorAll(".selected")];
  for (const card of cards) card.removeAttribute("data-selected");
  for (const element of elements) element.classList.remove("selected");
  try {
    return read();
  } finally {
    for (const card of cards) card.setAttribute("data-selected", "true");
    for (const element of elements) element.classList.add("selected");
  }
}

/** Returns the shown flow as SVG text; null if it is empty. */
function svgOfCanvas(faces: string): string | null {
  const canvas = document.querySelector<HTMLElement>('[data-region="canvas"]');
  const viewport = canvas?.querySelector(".react-flow__viewport");
  const boxes = [...(canvasView()?.boxes().values() ?? [])];
  const all = boundsOf(boxes);
  if (!canvas || !viewport || !all) return null;
  const place = new Place(viewport);
  const style = getComputedStyle(canvas);
  const layer = (selector: string) => {
    const part = viewport.querySelector(selector);
    return part ? elementSvg(part, place) : "";
  };
  const nodes = viewport.querySelector(".react-flow__nodes") ?? viewport;
  const far = "far" in canvas.dataset;
  const cards = far ? new Set<string>() : ids(nodes, ".react-flow__node");
  const wires = ids(viewport, ".react-flow__edge");
  const frames = [...viewport.querySelectorAll("[data-frame]")].map((frame) =>
    place.box(frame.getBoundingClientRect()),
  );
  const bounds = grown(boundsOf([all, ...frames]) ?? all, MARGIN);
  const parts = unmarked(viewport, () => [
    layer(".react-flow__viewport-portal"),
    plainWires(wires, style),
    layer(".react-flow__edges"),
    layer(".react-flow__edgelabel-renderer"),
    plainCards(cards, style),
    far ? "" : layer(".react-flow__nodes"),
  ]);
  return picture(parts, bounds, style.backgroundColor, faces);
}

/**
 * Renders the SVG as the bytes of a PNG, with two pixels for each flow pixel, or fewer if it is very large.
 */
async function pngOf(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const density = Math.min(DENSITY, MAX_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.naturalWidth * density);
  canvas.height = Math.round(image.naturalHeight * density);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This web view cannot draw bitmaps. Export an SVG instead.");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("The picture is too large to draw. Export an SVG instead.");
  return new Uint8Array(await blob.arrayBuffer());
}

/** Returns the shown flow as the bytes of a file; null if it is empty. */
export async function pictureOfCanvas(form: PictureForm): Promise<Uint8Array<ArrayBuffer> | null> {
  const { FACES } = await import("./picture-fonts");
  const svg = svgOfCanvas(FACES);
  if (svg === null) return null;
  return form === "svg" ? new TextEncoder().encode(svg) : pngOf(svg);
}
