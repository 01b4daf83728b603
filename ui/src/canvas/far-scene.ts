// What the bitmap of a flow seen from afar shows: boxes and the courses of wires, in flow coordinates. Courses are kept
// from one frame to the next and found anew only for what moved.
import { getSmoothStepPath, type InternalNode, Position, type ReactFlowState } from "@xyflow/react";
import { endsOf, type Wire } from "../drawn/wires";
import type { Box, Point } from "../kernels/geometry";
import { crossingHeight } from "../kernels/routing";
import { BACKWARDS, type Course, distanceTo, isBackwards, reach } from "../kernels/wire";
import { boxOf, present } from "./regions";
import { socketShape } from "./Socket";

type Nodes = Pick<ReactFlowState, "nodeLookup">;

export interface DrawnWire {
  wire: Wire;
  course: Course;
  /** Of the element that it would be. */
  classes: string;
  /** The way of a wire that runs backwards. */
  path: Path2D | null;
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

/** Keeps the wires' courses. */
export class FarWires {
  #before = new Map<Wire, DrawnWire>();
  #drawn: DrawnWire[] = [];

  /** The wires as they run now. */
  update(state: Nodes, wires: readonly Wire[]): DrawnWire[] {
    let boxes: Box[] | null = null;
    const next = new Map<Wire, DrawnWire>();
    for (const wire of wires) {
      const course = courseOf(state, wire);
      if (!course) continue;
      const before = this.#before.get(wire);
      const stayed = before && !before.path && sameCourse(before.course, course);
      if (stayed) {
        next.set(wire, before);
        continue;
      }
      let path: Path2D | null = null;
      if (isBackwards(course)) {
        boxes ??= present([...state.nodeLookup.keys()].map((id) => boxOf(state, id)));
        path = new Path2D(backwards(course, boxes));
      }
      next.set(wire, { wire, course, classes: classesOf(wire), path });
    }
    this.#before = next;
    this.#drawn = [...next.values()];
    return this.#drawn;
  }

  /** The edge whose wire passes within `reachable` of `point`; the nearest of several. */
  at(point: Point, reachable: number, context: CanvasRenderingContext2D): string | null {
    let nearest = reachable;
    let found: string | null = null;
    context.resetTransform();
    context.lineWidth = 2 * reachable;
    for (const { wire, course, path } of this.#drawn) {
      if (path) {
        if (context.isPointInStroke(path, point.x, point.y)) return wire.edge.id;
        continue;
      }
      const box = reach(course, reachable);
      if (point.x < box.left || point.x > box.right || point.y < box.top || point.y > box.bottom) continue;
      const distance = distanceTo(course, point);
      if (distance > nearest) continue;
      nearest = distance;
      found = wire.edge.id;
    }
    return found;
  }
}

const classesOf = ({ tone, bad }: Wire): string =>
  `react-flow__edge-path w-${socketShape(tone)}${bad ? " bad" : ""}`;

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
