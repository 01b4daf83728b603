// The grid of dots behind the flow. It is painted once a zoom and then only moved, and its dots never crowd: an SVG pattern
// is painted anew in every frame, and of a large flow seen whole it would have tens of thousands.
import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { isDrawnInSoftware } from "../ipc/client";
import { Colours, IN_MEMORY, onThemeChange } from "./colours";
import { dotGap, paintGround } from "./ground";
import { liveTransform, onLiveView, useLiveView } from "./live-view";

/** How far the layer reaches beyond the canvas, in pixels; more than dots are ever apart. */
const MARGIN = 160;

const remainder = (value: number, by: number) => ((value % by) + by) % by;

export function Dots() {
  return isDrawnInSoftware() ? <DotsOnBitmap /> : <DotsAsPattern />;
}

function DotsAsPattern() {
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

/** Where the processor paints, a pattern is put together in every frame; a bitmap that nothing shines through is copied. */
function DotsOnBitmap() {
  const store = useStoreApi();
  const bitmap = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = bitmap.current;
    const main = canvas?.closest<HTMLElement>(".canvas");
    const context = canvas?.getContext("2d", { ...IN_MEMORY, alpha: false });
    if (!canvas || !main || !context) return;
    const colours = new Colours(main);
    let painted: unknown[] = [];
    let request = 0;
    const paint = () => {
      request = 0;
      const state = store.getState();
      const [x, y, zoom] = liveTransform(state);
      const gap = dotGap(zoom);
      const now = [gap, state.width, state.height, colours.epoch, window.devicePixelRatio];
      if (now.some((part, i) => part !== painted[i])) {
        painted = now;
        // One dot more than is seen, so that it can be moved by as much.
        const [right, bottom] = [Math.ceil(state.width + gap), Math.ceil(state.height + gap)];
        const density = window.devicePixelRatio;
        [canvas.width, canvas.height] = [Math.round(right * density), Math.round(bottom * density)];
        Object.assign(canvas.style, { width: `${right}px`, height: `${bottom}px` });
        context.setTransform(density, 0, 0, density, 0, 0);
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
      store.subscribe((state, before) => {
        if (
          state.transform !== before.transform ||
          state.width !== before.width ||
          state.height !== before.height
        )
          ask();
      }),
      onLiveView(ask),
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
  return <canvas ref={bitmap} aria-hidden className="dots" />;
}
