// The paths of wires on the overview bitmap, in flow coordinates. They are cached between frames, and only
// those at moved nodes are recomputed.

import { getSmoothStepPath, type InternalNode, Position, type ReactFlowState } from "@xyflow/react";
import { wireLook } from "../../components/wire-look";
import { type Box, boundsOf, grown, type Point } from "../../kernels/geometry";
import { crossingHeight } from "../../kernels/routing";
import { BACKWARDS, type Course, distanceTo, isBackwards, wireBounds } from "../../kernels/wire";
import { endsOf, type Wire } from "../../scene/wires";
import { boxOf, present } from "../move/regions";
import { socketShape } from "../wires/Socket";

type Nodes = Pick<ReactFlowState, "nodeLookup">;

export interface PaintedWire {
  wire: Wire;
  course: Course;
  /** The classes that the wire's element would have. */
  classes: string;
  /** For a backwards wire, its path with corners in SVG syntax; null for other wires. */
  svgPath: string | null;
  /** The same path in the form that a bitmap draws; null for wires that are drawn along their `course`. */
  path: Path2D | null;
  /** The smallest box that contains the path. */
  bounds: Box;
}

/** A little more than half a wire's width, in flow pixels. */
const WIRE_MARGIN = 2;

const paintedWire = (wire: Wire, course: Course, svgPath: string | null): PaintedWire => ({
  wire,
  course,
  classes: classesOf(wire),
  svgPath,
  path: svgPath === null ? null : new Path2D(svgPath),
  bounds: svgPath === null ? wireBounds(course, WIRE_MARGIN) : boundsOfPath(svgPath),
});

/** Returns the bounding box of a path's corner points. The curves stay inside. */
function boundsOfPath(svgPath: string): Box {
  const numbers = (svgPath.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
  const points = numbers.flatMap((x, i) =>
    i % 2 === 0 ? [{ left: x, right: x, top: numbers[i + 1] ?? 0, bottom: numbers[i + 1] ?? 0 }] : [],
  );
  return grown(boundsOf(points) ?? { left: 0, top: 0, right: 0, bottom: 0 }, WIRE_MARGIN);
}

function socketAt(node: InternalNode, output: boolean, name: string): Point | null {
  const handle = node.internals.handleBounds?.[output ? "source" : "target"]?.find(({ id }) => id === name);
  if (!handle) return null;
  const { x, y } = node.internals.positionAbsolute;
  return { x: x + handle.x + (output ? handle.width : 0), y: y + handle.y + handle.height / 2 };
}

export function courseOf(state: Nodes, wire: Wire): Course | null {
  const ends = endsOf(wire);
  const source = state.nodeLookup.get(ends.source);
  const target = state.nodeLookup.get(ends.target);
  const from = source && socketAt(source, true, ends.sourceHandle);
  const to = target && socketAt(target, false, ends.targetHandle);
  return from && to ? { from, to } : null;
}

/** Caches the paths of wires. */
export class OverviewWires {
  #wires: readonly Wire[] = [];
  #byNode = new Map<string, Wire[]>();
  #drawn = new Map<Wire, PaintedWire>();

  /** All wires with their paths. */
  get painted(): readonly PaintedWire[] {
    return [...this.#drawn.values()];
  }

  /** Computes all paths and reuses those of unchanged wires. */
  update(state: Nodes, wires: readonly Wire[]): void {
    const before = this.#drawn;
    this.#wires = wires;
    this.#byNode = new Map();
    this.#drawn = new Map();
    for (const wire of wires) {
      const ends = endsOf(wire);
      for (const node of new Set([ends.source, ends.target])) {
        const known = this.#byNode.get(node);
        if (known) known.push(wire);
        else this.#byNode.set(node, [wire]);
      }
      const known = before.get(wire);
      if (known) this.#drawn.set(wire, known);
    }
    this.moved(state, wires);
  }

  /** Recomputes the paths at moved nodes. Returns the areas to repaint, in flow coordinates. */
  movedNodes(state: Nodes, nodes: Iterable<string>): Box[] {
    const touched = new Set<Wire>();
    for (const node of nodes) for (const wire of this.#byNode.get(node) ?? []) touched.add(wire);
    // A path with corners avoids all nodes, so any move can change it.
    for (const wire of this.#wires) if (this.#drawn.get(wire)?.svgPath) touched.add(wire);
    return this.moved(state, touched);
  }

  private moved(state: Nodes, wires: Iterable<Wire>): Box[] {
    let boxes: Box[] | null = null;
    const damage: Box[] = [];
    for (const wire of wires) {
      const course = courseOf(state, wire);
      const before = this.#drawn.get(wire);
      if (!course) {
        if (before) damage.push(before.bounds);
        this.#drawn.delete(wire);
        continue;
      }
      if (before && !before.svgPath && sameCourse(before.course, course)) continue;
      let svgPath: string | null = null;
      if (isBackwards(course)) {
        boxes ??= present([...state.nodeLookup.keys()].map((id) => boxOf(state, id)));
        svgPath = backwards(course, boxes);
        if (before?.svgPath === svgPath) continue;
      }
      const paintedNow = paintedWire(wire, course, svgPath);
      this.#drawn.set(wire, paintedNow);
      damage.push(paintedNow.bounds, ...(before ? [before.bounds] : []));
    }
    return damage;
  }

  /** Returns the id of the edge whose wire is closest to `point`; null if none is within `reachable`. */
  at(point: Point, reachable: number, context: CanvasRenderingContext2D): string | null {
    let nearest = reachable;
    let found: string | null = null;
    context.resetTransform();
    context.lineWidth = 2 * reachable;
    for (const { wire, course, path } of this.#drawn.values()) {
      if (path) {
        if (context.isPointInStroke(path, point.x, point.y)) return wire.edge.id;
        continue;
      }
      const box = wireBounds(course, reachable);
      if (point.x < box.left || point.x > box.right || point.y < box.top || point.y > box.bottom) continue;
      const distance = distanceTo(course, point);
      if (distance > nearest) continue;
      nearest = distance;
      found = wire.edge.id;
    }
    return found;
  }
}

const classesOf = ({ tone, bad }: Wire): string => wireLook(socketShape(tone), bad);

const sameCourse = (a: Course, b: Course): boolean =>
  a.from.x === b.from.x && a.from.y === b.from.y && a.to.x === b.to.x && a.to.y === b.to.y;

function backwards({ from, to }: Course, boxes: readonly Box[]): string {
  const [path] = getSmoothStepPath({
    sourceX: from.x,
    sourceY: from.y,
    sourcePosition: Position.Right,
    targetX: to.x,
    targetY: to.y,
    targetPosition: Position.Left,
    ...BACKWARDS,
    centerY: crossingHeight(boxes, to.x, from.x, from.y, to.y),
  });
  return path;
}
