// The overview bitmap. It repaints only what changed: the newly visible strips after a pan, and the areas
// around moved nodes after a move.
import type { ReactFlowState } from "@xyflow/react";
import { type Box, boundsOf } from "../../kernels/geometry";
import type { Colours } from "../colours";
import { type OverviewScene, paintOverview } from "./paint";

type View = Pick<ReactFlowState, "transform" | "width" | "height">;

/** The margin around repainted areas for soft edges, in screen pixels. */
const EDGE = 2;

export class DamageBitmap {
  readonly #context: CanvasRenderingContext2D;
  readonly #colours: Colours;
  #before: (View & { density: number }) | null = null;

  constructor(context: CanvasRenderingContext2D, colours: Colours) {
    this.#context = context;
    this.#colours = colours;
  }

  /**
   * Shows the scene. `damage` is where it changed since the last call, in flow coordinates; `null` means that
   * it may have changed anywhere.
   */
  show(scene: OverviewScene, view: View, damage: readonly Box[] | null): void {
    const density = window.devicePixelRatio;
    const before = this.#before;
    this.#before = { ...view, density };
    const { canvas } = this.#context;
    const [width, height] = [Math.round(view.width * density), Math.round(view.height * density)];
    const fits = canvas.width === width && canvas.height === height;
    if (!fits) [canvas.width, canvas.height] = [width, height];
    const by = fits && damage && before?.density === density ? shift(before, view, density) : null;
    if (!by) {
      paintOverview(this.#context, scene, view, this.#colours);
      return;
    }
    for (const area of [...this.#move(by, view), ...damagedAreas(damage ?? [], view)])
      paintOverview(this.#context, scene, view, this.#colours, area);
  }

  /** Moves the painted image. Returns the strips that must be painted. */
  #move(by: { x: number; y: number }, { width, height }: View): Box[] {
    if (by.x === 0 && by.y === 0) return [];
    const density = window.devicePixelRatio;
    this.#context.resetTransform();
    this.#context.drawImage(this.#context.canvas, Math.round(by.x * density), Math.round(by.y * density));
    const strips: Box[] = [];
    if (by.x !== 0) {
      const [left, right] = by.x > 0 ? [0, by.x] : [width + by.x, width];
      strips.push({ left, top: 0, right, bottom: height });
    }
    if (by.y !== 0) {
      const [top, bottom] = by.y > 0 ? [0, by.y] : [height + by.y, height];
      strips.push({ left: 0, top, right: width, bottom });
    }
    return strips;
  }
}

/** Returns how far the view moved, in whole device pixels; `null` if it changed in any other way. */
function shift(before: View, view: View, density: number): { x: number; y: number } | null {
  if (before.transform[2] !== view.transform[2]) return null;
  const x = view.transform[0] - before.transform[0];
  const y = view.transform[1] - before.transform[1];
  const isWhole = (value: number) => Math.abs(value * density - Math.round(value * density)) < 1e-6;
  if (!isWhole(x) || !isWhole(y)) return null;
  if (Math.abs(x) >= view.width || Math.abs(y) >= view.height) return null;
  return { x: Math.round(x * density) / density, y: Math.round(y * density) / density };
}

function damagedAreas(damage: readonly Box[], { transform: [x, y, zoom], width, height }: View): Box[] {
  const all = boundsOf(damage);
  if (!all) return [];
  const area = {
    left: Math.max(0, Math.floor(all.left * zoom + x) - EDGE),
    top: Math.max(0, Math.floor(all.top * zoom + y) - EDGE),
    right: Math.min(width, Math.ceil(all.right * zoom + x) + EDGE),
    bottom: Math.min(height, Math.ceil(all.bottom * zoom + y) + EDGE),
  };
  return area.left < area.right && area.top < area.bottom ? [area] : [];
}
