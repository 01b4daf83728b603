// Paints a flow seen from afar: the grid's dots, hulls, wires and boxes, in the colours of the stylesheet.
import type { ReactFlowState } from "@xyflow/react";
import { type Box, overlaps } from "../kernels/geometry";
import { pull } from "../kernels/wire";
import type { WireActivity } from "./activity";
import { type Colours, IN_MEMORY } from "./colours";
import { dotGap } from "./Dots";
import type { HullShape } from "./far";
import type { DrawnWire } from "./far-scene";

export interface FarScene {
  /** By the classes of the elements that they would be, and by node. */
  boxes: ReadonlyMap<string, ReadonlyMap<string, Box>>;
  wires: readonly DrawnWire[];
  hulls: Iterable<HullShape>;
  activity: (wire: DrawnWire["wire"]) => WireActivity;
}

// Widths and dashes as in the stylesheet, in pixels of the flow.
const WIRE = 2;
const HULL = { line: 1.25, opacity: 0.86, openLine: 0.55, openDashes: [4, 6] };
const BAD_DASHES = [3, 5];
const RESTING = 0.42;
/** Across, in pixels. */
const DOT = 2;
/** So many are painted one by one. */
const FEW_DOTS = 400;

type View = Pick<ReactFlowState, "transform" | "width" | "height">;

/** Paints what lies in `area`, in pixels of the screen; everything where none is given. */
export function paintFar(
  context: CanvasRenderingContext2D,
  scene: FarScene,
  view: View,
  colours: Colours,
  area: Box = { left: 0, top: 0, right: view.width, bottom: view.height },
): void {
  const [x, y, zoom] = view.transform;
  const density = window.devicePixelRatio;
  const whole = area.left <= 0 && area.top <= 0 && area.right >= view.width && area.bottom >= view.height;
  const size = [area.right - area.left, area.bottom - area.top] as const;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.save();
  if (!whole) {
    context.beginPath();
    context.rect(area.left, area.top, ...size);
    context.clip();
  }
  context.fillStyle = colours.of("canvas", "background-color");
  context.fillRect(area.left, area.top, ...size);
  dots(context, view, area, colours);
  context.setTransform(density * zoom, 0, 0, density * zoom, density * x, density * y);
  const seen = {
    left: (area.left - x) / zoom,
    top: (area.top - y) / zoom,
    right: (area.right - x) / zoom,
    bottom: (area.bottom - y) / zoom,
  };
  hulls(context, scene.hulls, colours);
  wires(context, scene, seen, colours);
  for (const [classes, boxes] of scene.boxes) {
    context.fillStyle = colours.of(classes, "background-color");
    for (const box of boxes.values()) {
      if (overlaps(box, seen))
        context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    }
  }
  context.restore();
}

/** The first of `from`, `from + gap`, ... that is not below `least`. */
const firstFrom = (from: number, gap: number, least: number) => from + Math.ceil((least - from) / gap) * gap;

function dots(context: CanvasRenderingContext2D, view: View, area: Box, colours: Colours): void {
  const [x, y, zoom] = view.transform;
  const gap = dotGap(zoom);
  const left = firstFrom(x % gap, gap, area.left - DOT);
  const top = firstFrom(y % gap, gap, area.top - DOT);
  const columns = Math.ceil((area.right - area.left) / gap) + 1;
  const rows = Math.ceil((area.bottom - area.top) / gap) + 1;
  if (columns * rows < FEW_DOTS) {
    context.fillStyle = colours.of("dots", "color");
    for (let i = 0; i < columns * rows; i++) {
      const [column, line] = [i % columns, Math.floor(i / columns)];
      context.fillRect(
        Math.round(left + column * gap) - DOT / 2,
        Math.round(top + line * gap) - DOT / 2,
        DOT,
        DOT,
      );
    }
    return;
  }
  const row = rowOfDots(left, gap, area, colours);
  for (let at = top; at < area.bottom + DOT; at += gap) {
    context.drawImage(row, area.left, Math.round(at) - DOT / 2, area.right - area.left, DOT);
  }
}

let row: HTMLCanvasElement | undefined;

/** One row of dots on the canvas' ground, across `area`: a large canvas has thousands of dots, and some fifty rows. */
function rowOfDots(from: number, gap: number, area: Box, colours: Colours): HTMLCanvasElement {
  row ??= document.createElement("canvas");
  const density = window.devicePixelRatio;
  row.width = Math.max(1, Math.ceil((area.right - area.left) * density));
  row.height = Math.ceil(DOT * density);
  const context = row.getContext("2d", { ...IN_MEMORY, alpha: false });
  if (!context) return row;
  context.fillStyle = colours.of("canvas", "background-color");
  context.fillRect(0, 0, row.width, row.height);
  context.fillStyle = colours.of("dots", "color");
  context.setTransform(density, 0, 0, density, -area.left * density, 0);
  for (let at = from; at < area.right + DOT; at += gap)
    context.fillRect(Math.round(at) - DOT / 2, 0, DOT, DOT);
  return row;
}

function hulls(context: CanvasRenderingContext2D, shapes: Iterable<HullShape>, colours: Colours): void {
  context.lineWidth = HULL.line;
  for (const { path, classes, open } of shapes) {
    const shape = new Path2D(path);
    context.globalAlpha = HULL.opacity;
    context.fillStyle = colours.of(classes, "fill");
    context.fill(shape);
    context.globalAlpha = open ? HULL.openLine : 1;
    context.setLineDash(open ? HULL.openDashes : []);
    context.strokeStyle = colours.of(classes, "stroke");
    context.stroke(shape);
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}

function wires(context: CanvasRenderingContext2D, scene: FarScene, view: Box, colours: Colours): void {
  const styles = new Map<string, { resting: boolean; first: DrawnWire; drawn: DrawnWire[] }>();
  for (const one of scene.wires) {
    if (!overlaps(one.bounds, view)) continue;
    const resting = scene.activity(one.wire) === "rest";
    const key = resting ? `${one.classes} resting` : one.classes;
    const style = styles.get(key);
    if (style) style.drawn.push(one);
    else styles.set(key, { resting, first: one, drawn: [one] });
  }
  context.lineWidth = WIRE;
  context.lineCap = "round";
  for (const { resting, first, drawn } of styles.values()) {
    context.globalAlpha = resting ? RESTING : 1;
    context.strokeStyle = colours.of(first.classes, "stroke");
    context.setLineDash(first.wire.bad ? BAD_DASHES : []);
    context.beginPath();
    for (const { course, path } of drawn) {
      if (path) {
        context.stroke(path);
        continue;
      }
      const { from, to } = course;
      const by = pull(course);
      context.moveTo(from.x, from.y);
      context.bezierCurveTo(from.x + by, from.y, to.x - by, to.y, to.x, to.y);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}
