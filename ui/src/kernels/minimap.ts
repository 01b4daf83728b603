// Maps a flow and its visible part to the minimap.
import { type Box, boundsOf } from "./geometry";

export interface MapFrame {
  /** The flow coordinates of the map's left edge (`left`) and top edge (`top`). */
  left: number;
  top: number;
  /** The number of flow pixels per map pixel. */
  scale: number;
}

/** The margin around the content, in map pixels. */
const MARGIN = 5;

/** Returns the frame of a map of this size that contains all `nodes` and the whole `view`. */
export function mapFrame(nodes: Box | null, view: Box, size: { width: number; height: number }): MapFrame {
  const all = boundsOf(nodes ? [nodes, view] : [view]) ?? view;
  const width = all.right - all.left;
  const height = all.bottom - all.top;
  const fitted = Math.max(width / size.width, height / size.height);
  // The margin enlarges the drawing, which is then scaled down to fit again.
  const scale = fitted * Math.max(1 + (2 * MARGIN) / size.width, 1 + (2 * MARGIN) / size.height);
  return {
    left: (all.left + all.right - size.width * scale) / 2,
    top: (all.top + all.bottom - size.height * scale) / 2,
    scale,
  };
}
