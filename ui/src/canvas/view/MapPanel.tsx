// The minimap: the visible area and all nodes. A node has the colour of its category, or of its state if it
// runs or has an error. The map is painted on one bitmap, since one element per node would cost more than the
// flow itself.

import { type ReactFlowState, useReactFlow, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef, type WheelEvent } from "react";
import { problemsOf, useAnalysis } from "../../document/analysis";
import { useKinds } from "../../document/kinds";
import { loudOnes, severityOf, useAsked } from "../../document/quiet";
import { type Box, boundsOf } from "../../kernels/geometry";
import { type MapFrame, mapFrame } from "../../kernels/minimap";
import { useRunningNodes } from "../../runs/view/running";
import { Colours, IN_MEMORY, onThemeChange } from "../colours";
import { currentTransform, onViewChange, visibleArea } from "../detail";
import { colourOf } from "../kind-colour";
import { boxOf } from "../move/regions";
import type { CanvasNode } from "../nodes";
import styles from "./MapPanel.module.css";
import { cameraDuration } from "./view";

/** The size of the minimap, in pixels. */
const SIZE = { width: 148, height: 96 };
/** The corner radius of nodes, in flow pixels. */
const CORNER = 14;
/** The number of nodes above which rounded corners are too small to see. */
const ROUND_BELOW = 60;
/** The distance in pixels up to which a press counts as a click. */
const HELD_STILL = 3;
/** The zoom factor of one wheel step. */
const ZOOM_STEP = 1.2;

/**
 * The CSS class of a node on the map, by the colour of its kind. A node of any other kind has the colour of
 * lines.
 */
const CATEGORY: Readonly<Record<string, string | undefined>> = {
  "category-loop": styles.loop,
  "category-ai": styles.ai,
  "category-tools": styles.tools,
  "category-logic": styles.logic,
  "category-io": styles.io,
};

interface MapNode {
  box: Box;
  classes: string;
}

/** The repaint interval while nodes are dragged, in milliseconds. Each repaint draws all nodes. */
const STEP_MS = 250;
/** The idle time after which a map that was only moved and scaled is repainted, in milliseconds. */
const STILL_MS = 150;

interface MapShape {
  frame: MapFrame;
  nodes: readonly MapNode[];
}

/** Paints the nodes on their own bitmap, since usually only the view rectangle moves. */
function paintNodes(target: HTMLCanvasElement, { frame, nodes }: MapShape, colours: Colours): void {
  const context = sized(target);
  if (!context) return;
  const scale = window.devicePixelRatio / frame.scale;
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
}

/**
 * Resizes a bitmap to the map's size, which clears it. Returns its context; null if the web view provides
 * none.
 */
function sized(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const density = window.devicePixelRatio;
  const [width, height] = [Math.round(SIZE.width * density), Math.round(SIZE.height * density)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d", IN_MEMORY);
  context?.resetTransform();
  context?.clearRect(0, 0, width, height);
  return context;
}

function paintMap(
  canvas: HTMLCanvasElement,
  painted: { bitmap: HTMLCanvasElement; frame: MapFrame },
  frame: MapFrame,
  view: Box,
  colours: Colours,
): void {
  const context = sized(canvas);
  if (!context) return;
  const density = window.devicePixelRatio;
  const by = painted.frame.scale / frame.scale;
  const at = (was: number, is: number) => ((was - is) / frame.scale) * density;
  context.drawImage(
    painted.bitmap,
    at(painted.frame.left, frame.left),
    at(painted.frame.top, frame.top),
    painted.bitmap.width * by,
    painted.bitmap.height * by,
  );
  const scale = density / frame.scale;
  context.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale);
  context.strokeStyle = colours.of(styles.view ?? "", "stroke");
  context.lineWidth = frame.scale;
  context.strokeRect(view.left, view.top, view.right - view.left, view.bottom - view.top);
}

const sameFrame = (a: MapFrame, b: MapFrame): boolean =>
  a.left === b.left && a.top === b.top && a.scale === b.scale;

export function MapPanel() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const asked = useAsked();
  const byType = useKinds((s) => s.byType);
  const running = useRunningNodes();
  const store = useStoreApi<CanvasNode>();
  const flow = useReactFlow();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<MapFrame | null>(null);
  /** The distance in pixels that the pointer moved since it was pressed. */
  const travelled = useRef(0);

  useEffect(() => {
    const target = canvas.current;
    if (!target?.parentElement) return;
    const colours = new Colours(target.parentElement);
    const runs = new Set(running);
    const classesOf = (node: CanvasNode) => {
      const severity = severityOf(loudOnes(problemsOf(problems, node.id), asked));
      if (severity === "error") return styles.failing ?? "";
      if (runs.has(node.id)) return styles.running ?? "";
      return CATEGORY[colourOf(byType.get(node.data.node.type))] ?? "";
    };
    const bitmap = document.createElement("canvas");
    let from: readonly unknown[] | null = null;
    let nodes: MapNode[] = [];
    let bounds: Box | null = null;
    let painted: MapFrame | null = null;
    let request = 0;
    let later: ReturnType<typeof setTimeout> | undefined;
    const read = (state: ReactFlowState<CanvasNode>) => {
      if (state.nodes === from) return;
      from = state.nodes;
      painted = null;
      nodes = state.nodes.flatMap((node) => {
        const box = node.data.node ? boxOf(state, node.id) : null;
        return box ? [{ box, classes: classesOf(node) }] : [];
      });
      bounds = boundsOf(nodes.map((node) => node.box));
    };
    const draw = (anew: boolean) => {
      request = 0;
      const state = store.getState();
      read(state);
      const view = visibleArea({ ...state, transform: currentTransform(state) });
      const now = mapFrame(bounds, view, SIZE);
      if (!painted || (anew && !sameFrame(painted, now))) {
        painted = now;
        paintNodes(bitmap, { frame: now, nodes }, colours);
      } else if (!sameFrame(painted, now)) soon(STILL_MS);
      frame.current = now;
      paintMap(target, { bitmap, frame: painted }, now, view, colours);
    };
    const soon = (ms: number) => {
      clearTimeout(later);
      later = setTimeout(() => {
        later = undefined;
        draw(true);
      }, ms);
    };
    const ask = () => {
      request ||= requestAnimationFrame(() => draw(false));
    };
    draw(true);
    const stops = [
      store.subscribe((state, before) => {
        if (state.nodes !== before.nodes && later === undefined) soon(STEP_MS);
      }),
      onViewChange(store, ask),
      onThemeChange(() => {
        colours.forget();
        painted = null;
        ask();
      }),
    ];
    return () => {
      cancelAnimationFrame(request);
      clearTimeout(later);
      for (const stop of stops) stop();
      colours.remove();
    };
  }, [store, problems, byType, running, asked]);

  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    travelled.current = 0;
  };
  /** Centres the view on a clicked point, unless the pointer was dragged. */
  const release = (event: PointerEvent) => {
    if (event.button !== 0 || travelled.current > HELD_STILL || !frame.current) return;
    const { left, top, scale } = frame.current;
    const box = event.currentTarget.getBoundingClientRect();
    void flow.setCenter(left + (event.clientX - box.left) * scale, top + (event.clientY - box.top) * scale, {
      zoom: flow.getZoom(),
      duration: cameraDuration(),
    });
  };
  const pan = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !frame.current) return;
    travelled.current += Math.abs(event.movementX) + Math.abs(event.movementY);
    if (travelled.current <= HELD_STILL) return;
    const { x, y, zoom } = flow.getViewport();
    const by = frame.current.scale * zoom;
    void flow.setViewport({ x: x - event.movementX * by, y: y - event.movementY * by, zoom });
  };
  const zoom = (event: WheelEvent) => {
    void flow.zoomTo(flow.getZoom() * (event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP));
  };
  return (
    <div className={styles.minimap}>
      <canvas
        ref={canvas}
        role="img"
        aria-label="Minimap"
        style={SIZE}
        onPointerDown={press}
        onPointerMove={pan}
        onPointerUp={release}
        onWheel={zoom}
      />
    </div>
  );
}
