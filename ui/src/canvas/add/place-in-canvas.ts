// Positions a box that opens over the canvas: at a point, kept within the canvas' edges.
import type { Point } from "../../kernels/geometry";

const EDGE = 8;

/** Returns a position relative to the canvas. `at` is in client pixels. */
export function placeInCanvas(
  at: Point,
  size: { width: number; height: number },
): { left: number; top: number } {
  const canvas = document.querySelector('[data-region="canvas"]')?.getBoundingClientRect();
  const within = (value: number, room: number) => Math.max(EDGE, Math.min(value, room - EDGE));
  return {
    left: within(at.x - (canvas?.left ?? 0), (canvas?.width ?? 800) - size.width),
    top: within(at.y - (canvas?.top ?? 0), (canvas?.height ?? 600) - size.height),
  };
}
