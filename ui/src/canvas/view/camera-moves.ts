// Moves the camera. The destination is known before the move is complete.
import type { ReactFlowInstance, ReactFlowState } from "@xyflow/react";
import type { Camera } from "../../kernels/camera";

export interface Moves {
  move: (camera: Camera, duration: number) => Promise<unknown>;
  /**
   * Returns xyflow's state with the view at the end of a running move, so that the next move does not start
   * in the middle of it.
   */
  seen: () => ReactFlowState;
}

/**
 * How much longer than its duration a move may take before it counts as finished, in milliseconds. It also
 * gets at least `GRACE_FRAMES` frames. A move that the user interrupts never reports its end, and on a busy
 * computer a move may not have started when its duration has passed.
 */
const GRACE_MS = 100;
const GRACE_FRAMES = 6;

/** Calls `act` once the duration and the extra time and frames have passed. */
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
