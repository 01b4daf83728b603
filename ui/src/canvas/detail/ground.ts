// Paints the canvas' background and its dot grid on a bitmap.

import { type Box, GRID } from "../../kernels/geometry";
import canvasStyles from "../Canvas.module.css";
import { type Colours, IN_MEMORY } from "../colours";
import dotGridStyles from "./DotGrid.module.css";

/**
 * Returns the context of an opaque bitmap behind the cards, which is copied to the window without blending,
 * together with its canvas and the region around it; null if there is no canvas.
 */
export function groundOf(canvas: HTMLCanvasElement | null) {
  const main = canvas?.closest<HTMLElement>('[data-region="canvas"]');
  const context = canvas?.getContext("2d", { ...IN_MEMORY, alpha: false });
  return canvas && main && context ? { canvas, main, context } : null;
}

/** The position of one dot, and the distance to the next, in pixels. */
export interface GridOrigin {
  x: number;
  y: number;
  gap: number;
}

/** The minimum distance between dots, in pixels. */
const CLOSEST = 14;
/** The diameter of a dot, in pixels. */
const DOT = 2;
/** The number of dots below which they are painted one by one. */
const MAX_SINGLE_DOTS = 400;

/** Returns the distance between two dots at a zoom, in pixels. */
export function dotGap(zoom: number): number {
  let gap = GRID * zoom;
  while (gap < CLOSEST) gap *= 2;
  return gap;
}

/** Returns the first of `from`, `from + gap`, ... that is at least `least`. */
const firstFrom = (from: number, gap: number, least: number) => from + Math.ceil((least - from) / gap) * gap;

/** Paints `area`, in pixels, with an opaque background. */
export function paintGround(
  context: CanvasRenderingContext2D,
  { x, y, gap }: GridOrigin,
  area: Box,
  colours: Colours,
): void {
  context.fillStyle = colours.of(canvasStyles.canvas ?? "", "background-color");
  context.fillRect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  const left = firstFrom(x % gap, gap, area.left - DOT);
  const top = firstFrom(y % gap, gap, area.top - DOT);
  const columns = Math.ceil((area.right - area.left) / gap) + 1;
  const rows = Math.ceil((area.bottom - area.top) / gap) + 1;
  if (columns * rows < MAX_SINGLE_DOTS) {
    context.fillStyle = colours.of(dotGridStyles.dotGrid ?? "", "color");
    for (let i = 0; i < columns * rows; i++) {
      const [column, line] = [i % columns, Math.floor(i / columns)];
      context.fillRect(
        Math.round(left + column * gap) - DOT / 2,
        Math.round(top + line * gap) - DOT / 2,
        DOT,
        DOT,
      );
    }
    return;
  }
  const row = rowOfDots(left, gap, area, colours);
  for (let at = top; at < area.bottom + DOT; at += gap) {
    context.drawImage(row, area.left, Math.round(at) - DOT / 2, area.right - area.left, DOT);
  }
}

let row: HTMLCanvasElement | undefined;

/**
 * Returns a bitmap with one row of dots across `area`. A large canvas has thousands of dots, but only some
 * fifty rows.
 */
function rowOfDots(from: number, gap: number, area: Box, colours: Colours): HTMLCanvasElement {
  row ??= document.createElement("canvas");
  const density = window.devicePixelRatio;
  row.width = Math.max(1, Math.ceil((area.right - area.left) * density));
  row.height = Math.ceil(DOT * density);
  const context = row.getContext("2d", { ...IN_MEMORY, alpha: false });
  if (!context) return row;
  context.fillStyle = colours.of(canvasStyles.canvas ?? "", "background-color");
  context.fillRect(0, 0, row.width, row.height);
  context.fillStyle = colours.of(dotGridStyles.dotGrid ?? "", "color");
  context.setTransform(density, 0, 0, density, -area.left * density, 0);
  for (let at = from; at < area.right + DOT; at += gap)
    context.fillRect(Math.round(at) - DOT / 2, 0, DOT, DOT);
  return row;
}
