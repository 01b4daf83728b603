// How a flow and the part of it in view are laid into the minimap.
import { type Box, boundsOf } from "./geometry";

export interface MapFrame {
  /** The flow's coordinates at the map's upper left corner. */
  left: number;
  top: number;
  /** Pixels of the flow on one of the map. */
  scale: number;
}

/** Around what is shown, in pixels of the map. */
const MARGIN = 5;

/** The frame that shows all `nodes` and all of `view` in a map of that size. */
export function mapFrame(nodes: Box | null, view: Box, size: { width: number; height: number }): MapFrame {
  const all = boundsOf(nodes ? [nodes, view] : [view]) ?? view;
  const width = all.right - all.left;
  const height = all.bottom - all.top;
  const fitted = Math.max(width / size.width, height / size.height);
  // The margin is added to the drawing, which is then made smaller to fit again.
  const scale = fitted * Math.max(1 + (2 * MARGIN) / size.width, 1 + (2 * MARGIN) / size.height);
  return {
    left: (all.left + all.right - size.width * scale) / 2,
    top: (all.top + all.bottom - size.height * scale) / 2,
    scale,
  };
}
