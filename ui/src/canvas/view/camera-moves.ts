// Moves the camera, and knows where a move leads before it has arrived.
import type { ReactFlowInstance, ReactFlowState } from "@xyflow/react";
import type { Camera } from "../../kernels/camera";

export interface Moves {
  move: (camera: Camera, duration: number) => Promise<unknown>;
  /** xyflow's state with the view that a move under way leads to, so that the next move does not begin in the middle of it. */
  seen: () => ReactFlowState;
}

/**
 * A move that a hand interrupts does not end. It counts for so much longer than it takes, in milliseconds, and for so many frames: on a
 * busy computer it may not have begun when its time is over.
 */
const GRACE_MS = 100;
const GRACE_FRAMES = 6;

/** Calls `act` once that time is over and so many frames were drawn. */
function afterMove(duration: number, act: () => void): void {
  const end = performance.now() + duration + GRACE_MS;
  let frames = 0;
  requestAnimationFrame(function look() {
    frames += 1;
    if (frames >= GRACE_FRAMES && performance.now() > end) act();
    else requestAnimationFrame(look);
  });
}

export function cameraMoves(
  flow: Pick<ReactFlowInstance, "setViewport">,
  store: { getState(): ReactFlowState },
): Moves {
  let heading: { readonly camera: Camera } | null = null;
  return {
    move: (camera, duration) => {
      const here = { camera };
      const forget = () => {
        if (heading === here) heading = null;
      };
      heading = here;
      afterMove(duration, forget);
      return flow.setViewport(camera, { duration }).then(forget);
    },
    seen: () => {
      const state = store.getState();
      if (!heading) return state;
      const { x, y, zoom } = heading.camera;
      return { ...state, transform: [x, y, zoom] };
    },
  };
}
