// Computes the view that shows a part of the flow with the smallest possible move.
import { type Box, overlaps } from "./geometry";

/** The visible part of a flow: flow point `p` is at `p * zoom + (x, y)` on the canvas, in pixels. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

/** The free area of a canvas, and a covered corner in it, in canvas pixels. */
export interface Area {
  free: Box;
  corner: Box | null;
}

/** Converts a flow box to canvas pixels. */
export const onCanvas = ({ left, top, right, bottom }: Box, { x, y, zoom }: Camera): Box => ({
  left: left * zoom + x,
  top: top * zoom + y,
  right: right * zoom + x,
  bottom: bottom * zoom + y,
});

/**
 * Returns the shift that moves a span between `low` and `high`. A span that is too long is shifted to start
 * at `low`.
 */
function shift(from: number, to: number, low: number, high: number): number {
  if (from < low || to - from > high - low) return low - from;
  return Math.min(0, high - to);
}

/** Returns whether the camera shows the whole box and nothing covers the box. */
export function isClear(box: Box, camera: Camera, { free, corner }: Area): boolean {
  const seen = onCanvas(box, camera);
  return (
    seen.left >= free.left &&
    seen.top >= free.top &&
    seen.right <= free.right &&
    seen.bottom <= free.bottom &&
    !(corner && overlaps(seen, corner))
  );
}

/**
 * Returns the camera after the smallest move, at the same zoom, that makes the box visible; the same object
 * if the box is already visible.
 */
export function nearestCamera(box: Box, camera: Camera, area: Area): Camera {
  if (isClear(box, camera, area)) return camera;
  const { free, corner } = area;
  const { left, top, right, bottom } = onCanvas(box, camera);
  const dx = shift(left, right, free.left, free.right);
  const dy = shift(top, bottom, free.top, free.bottom);
  const moved = { ...camera, x: camera.x + dx, y: camera.y + dy };
  if (!corner || !overlaps(onCanvas(box, moved), corner)) return moved;
  const up = { ...moved, y: moved.y - (bottom + dy - corner.top) };
  const aside = { ...moved, x: moved.x - (right + dx - corner.left) };
  const clear = [up, aside].filter((one) => isClear(box, one, area));
  const far = (one: Camera) => Math.hypot(one.x - camera.x, one.y - camera.y);
  return clear.sort((a, b) => far(a) - far(b))[0] ?? moved;
}

/** Returns the largest zoom at which the box fits into the free area. */
export function zoomThatFits({ left, top, right, bottom }: Box, { free }: Area): number {
  const width = Math.max(right - left, 1);
  const height = Math.max(bottom - top, 1);
  return Math.max(0, Math.min((free.right - free.left) / width, (free.bottom - free.top) / height));
}

/**
 * Returns the camera at `zoom` with the box in the free area. Along each axis where the box fits, it is
 * centred.
 */
export function centredCamera({ left, top, right, bottom }: Box, zoom: number, { free }: Area): Camera {
  const place = (from: number, to: number, low: number, high: number) => {
    const spare = Math.max(0, high - low - (to - from) * zoom);
    return low + spare / 2 - from * zoom;
  };
  return {
    x: place(left, right, free.left, free.right),
    y: place(top, bottom, free.top, free.bottom),
    zoom,
  };
}
