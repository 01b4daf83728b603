// The grid of dots behind the flow. It is painted once a zoom and then only moved, and its dots never crowd: an SVG pattern
// is painted anew in every frame, and of a large flow seen whole it would have tens of thousands.
import { GRID } from "../kernels/geometry";
import { useLiveView } from "./live-view";

/** Dots stand no closer than this, in pixels. */
const CLOSEST = 14;
/** How far the layer reaches beyond the canvas, in pixels; more than dots are ever apart. */
const MARGIN = 160;

const remainder = (value: number, by: number) => ((value % by) + by) % by;

/** Between two dots at that zoom, in pixels. */
export function dotGap(zoom: number): number {
  let gap = GRID * zoom;
  while (gap < CLOSEST) gap *= 2;
  return gap;
}

export function Dots() {
  const x = useLiveView((transform) => transform[0]);
  const y = useLiveView((transform) => transform[1]);
  const zoom = useLiveView((transform) => transform[2]);
  const gap = dotGap(zoom);
  return (
    <div
      aria-hidden
      className="dots"
      style={{
        inset: -MARGIN,
        backgroundSize: `${gap}px ${gap}px`,
        backgroundPosition: `${-gap / 2}px ${-gap / 2}px`,
        transform: `translate(${remainder(x + MARGIN, gap)}px, ${remainder(y + MARGIN, gap)}px)`,
      }}
    />
  );
}
