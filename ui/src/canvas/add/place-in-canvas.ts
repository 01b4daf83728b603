// Where a box that opens over the canvas stands: at a point, kept within the canvas' edges.
import type { Point } from "../../kernels/geometry";

const EDGE = 8;

/** `at` in client pixels; the answer is relative to the canvas. */
export function placeInCanvas(
  at: Point,
  size: { width: number; height: number },
): { left: number; top: number } {
  const canvas = document.querySelector(".canvas")?.getBoundingClientRect();
  const within = (value: number, room: number) => Math.max(EDGE, Math.min(value, room - EDGE));
  return {
    left: within(at.x - (canvas?.left ?? 0), (canvas?.width ?? 800) - size.width),
    top: within(at.y - (canvas?.top ?? 0), (canvas?.height ?? 600) - size.height),
  };
}
