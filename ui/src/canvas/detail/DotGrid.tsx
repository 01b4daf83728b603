// The grid of dots behind the flow. It is painted once per zoom and then only moved. Dots keep a least distance: an SVG pattern is
// repainted in every frame, and for a large flow it would have tens of thousands.
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { isDrawnInSoftware } from "../../ipc/client";
import { Colours, onThemeChange } from "../colours";
import { currentTransform, onViewChange, useCurrentTransform } from "./current-view";
import { dotGap, groundOf, paintGround } from "./ground";

/** How far the layer reaches beyond the canvas, in pixels; more than dots are ever apart. */
const MARGIN = 160;

const remainder = (value: number, by: number) => ((value % by) + by) % by;

export function DotGrid() {
  return isDrawnInSoftware() ? <DotGridBitmap /> : <DotGridPattern />;
}

function DotGridPattern() {
  const x = useCurrentTransform((transform) => transform[0]);
  const y = useCurrentTransform((transform) => transform[1]);
  const zoom = useCurrentTransform((transform) => transform[2]);
  const gap = dotGap(zoom);
  return (
    <div
      aria-hidden
      className="dot-grid"
      style={{
        inset: -MARGIN,
        backgroundSize: `${gap}px ${gap}px`,
        backgroundPosition: `${-gap / 2}px ${-gap / 2}px`,
        transform: `translate(${remainder(x + MARGIN, gap)}px, ${remainder(y + MARGIN, gap)}px)`,
      }}
    />
  );
}

/** Without a graphics card a pattern is composed in every frame; an opaque bitmap is only copied. */
function DotGridBitmap() {
  const store = useStoreApi();
  const bitmap = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ground = groundOf(bitmap.current);
    if (!ground) return;
    const { canvas, main, context } = ground;
    const colours = new Colours(main);
    let painted: unknown[] = [];
    let request = 0;
    const paint = () => {
      request = 0;
      const state = store.getState();
      const [x, y, zoom] = currentTransform(state);
      const gap = dotGap(zoom);
      const now = [gap, state.width, state.height, colours.epoch, window.devicePixelRatio];
      if (now.some((part, i) => part !== painted[i])) {
        painted = now;
        const density = window.devicePixelRatio;
        // At any zoom it is as large, so that a zoom need not make it anew.
        const [width, height] = [Math.ceil(state.width + MARGIN), Math.ceil(state.height + MARGIN)];
        const [across, down] = [Math.round(width * density), Math.round(height * density)];
        if (canvas.width !== across || canvas.height !== down) {
          [canvas.width, canvas.height] = [across, down];
          Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
        }
        context.setTransform(density, 0, 0, density, 0, 0);
        // One dot more than is seen, so that it can be moved by as much.
        const [right, bottom] = [Math.ceil(state.width + gap), Math.ceil(state.height + gap)];
        paintGround(context, { x: 0, y: 0, gap }, { left: 0, top: 0, right, bottom }, colours);
      }
      // By whole pixels: between them it would have to be blended.
      const [left, top] = [Math.round(remainder(x, gap) - gap), Math.round(remainder(y, gap) - gap)];
      canvas.style.transform = `translate(${left}px, ${top}px)`;
    };
    const ask = () => {
      request ||= requestAnimationFrame(paint);
    };
    paint();
    const stops = [
      onViewChange(store, ask),
      onThemeChange(() => {
        colours.forget();
        ask();
      }),
    ];
    return () => {
      cancelAnimationFrame(request);
      for (const stop of stops) stop();
      colours.remove();
    };
  }, [store]);
  return <canvas ref={bitmap} aria-hidden className="dot-grid" />;
}
