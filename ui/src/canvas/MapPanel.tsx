// The minimap: nodes in their category's colour, those that run or have an error in the colour of that, and what is in
// view. Painted on one bitmap: as an element for each node it would cost more than the flow that it shows.
import { type ReactFlowState, useReactFlow, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef, type WheelEvent } from "react";
import { problemsOf, useAnalysis } from "../document/analysis";
import { useKinds } from "../document/kinds";
import { type Box, boundsOf } from "../kernels/geometry";
import { type MapFrame, mapFrame } from "../kernels/minimap";
import { useRunningNodes } from "../runs/running";
import { colourOf } from "./card/NodeCard";
import { Colours, IN_MEMORY, onThemeChange } from "./colours";
import type { CanvasNode } from "./nodes";
import { boxOf } from "./regions";

/** In pixels. */
const SIZE = { width: 148, height: 96 };
/** Of a node's corners, in pixels of the flow. */
const CORNER = 14;
/** Corners of more nodes than these are too small to see. */
const ROUND_BELOW = 60;
/** How much a turn of the wheel enlarges. */
const ZOOM_STEP = 1.2;

interface MapNode {
  box: Box;
  classes: string;
}

type View = Pick<ReactFlowState, "transform" | "width" | "height">;

const viewOf = ({ transform: [x, y, zoom], width, height }: View): Box => ({
  left: -x / zoom,
  top: -y / zoom,
  right: (width - x) / zoom,
  bottom: (height - y) / zoom,
});

function paint(canvas: HTMLCanvasElement, nodes: MapNode[], view: Box, colours: Colours): MapFrame {
  const frame = mapFrame(boundsOf(nodes.map((node) => node.box)), view, SIZE);
  const context = canvas.getContext("2d", IN_MEMORY);
  if (!context) return frame;
  const density = window.devicePixelRatio;
  canvas.width = SIZE.width * density;
  canvas.height = SIZE.height * density;
  const scale = density / frame.scale;
  context.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale);
  for (const { box, classes } of nodes) {
    context.fillStyle = colours.of(classes, "fill");
    const size = [box.right - box.left, box.bottom - box.top] as const;
    if (nodes.length > ROUND_BELOW) context.fillRect(box.left, box.top, ...size);
    else {
      context.beginPath();
      context.roundRect(box.left, box.top, ...size, CORNER);
      context.fill();
    }
  }
  context.strokeStyle = colours.of("mm-view", "stroke");
  context.lineWidth = frame.scale;
  context.strokeRect(view.left, view.top, view.right - view.left, view.bottom - view.top);
  return frame;
}

export function MapPanel() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const byType = useKinds((s) => s.byType);
  const running = useRunningNodes();
  const store = useStoreApi<CanvasNode>();
  const flow = useReactFlow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<MapFrame | null>(null);

  useEffect(() => {
    const target = canvas.current;
    if (!target?.parentElement) return;
    const colours = new Colours(target.parentElement);
    const runs = new Set(running);
    const classesOf = (node: CanvasNode) => {
      if (problemsOf(problems, node.id).some((p) => p.severity === "error")) return "err";
      if (runs.has(node.id)) return "run";
      return colourOf(byType.get(node.data.node.type)).replace("c-", "mm-");
    };
    let from: readonly unknown[] | null = null;
    let nodes: MapNode[] = [];
    let request = 0;
    const draw = () => {
      request = 0;
      const state = store.getState();
      if (state.nodes !== from) {
        from = state.nodes;
        nodes = state.nodes.flatMap((node) => {
          const box = node.data.node ? boxOf(state, node.id) : null;
          return box ? [{ box, classes: classesOf(node) }] : [];
        });
      }
      frame.current = paint(target, nodes, viewOf(state), colours);
    };
    const ask = () => {
      request ||= requestAnimationFrame(draw);
    };
    ask();
    const stops = [
      store.subscribe((state, before) => {
        if (
          state.nodes !== before.nodes ||
          state.transform !== before.transform ||
          state.width !== before.width ||
          state.height !== before.height
        )
          ask();
      }),
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
  }, [store, problems, byType, running]);

  const pan = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !frame.current) return;
    const { x, y, zoom } = flow.getViewport();
    const by = frame.current.scale * zoom;
    void flow.setViewport({ x: x - event.movementX * by, y: y - event.movementY * by, zoom });
  };
  const zoom = (event: WheelEvent) => {
    void flow.zoomTo(flow.getZoom() * (event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP));
  };
  return (
    <div className="minimap">
      <canvas
        ref={canvas}
        role="img"
        aria-label="Minimap"
        style={SIZE}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={pan}
        onWheel={zoom}
      />
    </div>
  );
}
