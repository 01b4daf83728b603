// Paints the overview of a flow: the dot grid, hulls, wires and boxes, in the colours of the stylesheet.

import type { ReactFlowState } from "@xyflow/react";
import { type Box, overlaps } from "../../kernels/geometry";
import { pull } from "../../kernels/wire";
import type { WireActivity } from "../activity";
import cardStyles from "../CanvasCard.module.css";
import type { Colours } from "../colours";
import { dotGap, paintGround } from "./ground";
import type { HullShape } from "./overview";
import type { PaintedWire } from "./wires";

export interface OverviewScene {
  /** The boxes by node, grouped by the classes their card elements would have. */
  boxes: ReadonlyMap<string, ReadonlyMap<string, Box>>;
  wires: readonly PaintedWire[];
  hulls: Iterable<HullShape>;
  activity: (wire: PaintedWire["wire"]) => WireActivity;
}

/** The class of a card with a warning, which gets a border. */
export const WARNS = cardStyles.warns ?? "";

// The widths and dashes of the stylesheet, in flow pixels.
const WIRE = 2;
const WARNING = 1.5;
const HULL = { line: 1.25, opacity: 0.86, openLine: 0.55, openDashes: [4, 6] };
const BAD_DASHES = [3, 5];
const RESTING = 0.42;

type View = Pick<ReactFlowState, "transform" | "width" | "height">;

/** Paints the contents of `area`, in screen pixels; by default, everything. */
export function paintOverview(
  context: CanvasRenderingContext2D,
  scene: OverviewScene,
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
  paintGround(context, { x, y, gap: dotGap(zoom) }, area, colours);
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
    const inView = [...boxes.values()].filter((box) => overlaps(box, seen));
    if (classes.split(" ").includes(WARNS)) {
      // The border is a larger box behind the card's box, so that it is visible at any zoom.
      context.fillStyle = colours.of(classes, "outline-color");
      const edge = Math.max(WARNING, 1 / zoom);
      for (const box of inView) fill(context, box, edge);
    }
    context.fillStyle = colours.of(classes, "background-color");
    for (const box of inView) fill(context, box, 0);
  }
  context.restore();
}

function fill(context: CanvasRenderingContext2D, { left, top, right, bottom }: Box, around: number): void {
  context.fillRect(left - around, top - around, right - left + 2 * around, bottom - top + 2 * around);
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

function wires(context: CanvasRenderingContext2D, scene: OverviewScene, view: Box, colours: Colours): void {
  const styles = new Map<string, { resting: boolean; first: PaintedWire; wires: PaintedWire[] }>();
  for (const one of scene.wires) {
    if (!overlaps(one.bounds, view)) continue;
    const resting = scene.activity(one.wire) === "rest";
    const key = resting ? `${one.classes} resting` : one.classes;
    const style = styles.get(key);
    if (style) style.wires.push(one);
    else styles.set(key, { resting, first: one, wires: [one] });
  }
  context.lineWidth = WIRE;
  context.lineCap = "round";
  for (const { resting, first, wires } of styles.values()) {
    context.globalAlpha = resting ? RESTING : 1;
    context.strokeStyle = colours.of(first.classes, "stroke");
    context.setLineDash(first.wire.bad ? BAD_DASHES : []);
    context.beginPath();
    for (const { course, path } of wires) {
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
