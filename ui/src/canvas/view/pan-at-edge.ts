// Pans the view while a wire being drawn waits at the canvas' edge. A wire that only crosses the edge, on its
// way to a settings field or a place near the edge, does not pan.
import { useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import type { Point } from "../../kernels/geometry";
import { useConnecting } from "../../session/connecting";

/** The distance from the edge at which panning starts, in pixels. */
const EDGE = 40;
/** The time the pointer must stay near the edge before panning starts, in milliseconds. */
const START_DELAY_MS = 350;
/** The speed at the edge itself, in pixels per second. */
const MAX_SPEED = 900;
/**
 * The longest frame time that is used to compute a step, in milliseconds. It prevents jumps of the view when
 * the page is busy.
 */
const MAX_FRAME_MS = 50;

/**
 * Returns the pan speed along one axis, from -1 to 1. `at` is the pointer's position within the canvas's
 * length `room`, in pixels.
 */
function edgeSpeed(at: number, room: number): number {
  if (at < EDGE) return (EDGE - at) / EDGE;
  if (at > room - EDGE) return (room - EDGE - at) / EDGE;
  return 0;
}

/**
 * Returns the pan speed with the pointer at `at`, in client pixels: from -1 to 1 for each axis, and 0 outside
 * the canvas.
 */
export function panSpeed(at: Point, canvas: Pick<DOMRect, "left" | "top" | "width" | "height">): Point {
  const inside = { x: at.x - canvas.left, y: at.y - canvas.top };
  if (inside.x < 0 || inside.y < 0 || inside.x > canvas.width || inside.y > canvas.height)
    return { x: 0, y: 0 };
  return { x: edgeSpeed(inside.x, canvas.width), y: edgeSpeed(inside.y, canvas.height) };
}

export function usePanAtEdge(canvas: RefObject<HTMLElement | null>): void {
  const store = useStoreApi();
  const drawing = useConnecting((s) => s.from !== null);
  useEffect(() => {
    if (!drawing) return;
    let speed: Point = { x: 0, y: 0 };
    let since: number | null = null;
    let before = 0;
    let frame = 0;
    const step = (now: number) => {
      since ??= now;
      const passed = Math.min(now - before, MAX_FRAME_MS) / 1000;
      before = now;
      if (now - since >= START_DELAY_MS)
        store.getState().panBy({ x: speed.x * MAX_SPEED * passed, y: speed.y * MAX_SPEED * passed });
      frame = requestAnimationFrame(step);
    };
    const follow = (event: PointerEvent) => {
      const box = canvas.current?.getBoundingClientRect();
      speed = box ? panSpeed({ x: event.clientX, y: event.clientY }, box) : { x: 0, y: 0 };
      const waits = speed.x !== 0 || speed.y !== 0;
      if (waits && frame === 0) {
        before = performance.now();
        frame = requestAnimationFrame(step);
      } else if (!waits) {
        cancelAnimationFrame(frame);
        frame = 0;
        since = null;
      }
    };
    window.addEventListener("pointermove", follow);
    return () => {
      window.removeEventListener("pointermove", follow);
      cancelAnimationFrame(frame);
    };
  }, [drawing, store, canvas]);
}
