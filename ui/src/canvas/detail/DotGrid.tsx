// The dot grid behind the flow. It moves with the view, and its dots keep a minimum distance.

import { useCurrentTransform } from "./current-view";
import styles from "./DotGrid.module.css";
import { dotGap } from "./ground";

/** The margin of the layer around the canvas, in pixels; larger than any gap between dots. */
const MARGIN = 160;

const remainder = (value: number, by: number) => ((value % by) + by) % by;

export function DotGrid() {
  const x = useCurrentTransform((transform) => transform[0]);
  const y = useCurrentTransform((transform) => transform[1]);
  const zoom = useCurrentTransform((transform) => transform[2]);
  const gap = dotGap(zoom);
  return (
    <div
      aria-hidden
      className={styles.dotGrid}
      style={{
        inset: -MARGIN,
        backgroundSize: `${gap}px ${gap}px`,
        backgroundPosition: `${-gap / 2}px ${-gap / 2}px`,
        transform: `translate(${remainder(x + MARGIN, gap)}px, ${remainder(y + MARGIN, gap)}px)`,
      }}
    />
  );
}
