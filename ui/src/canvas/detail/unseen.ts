// Estimates for cards that were never in view. xyflow would mount each card once to measure it and find its
// sockets. For a large flow it gets these estimates instead, and mounts and measures a card only when it
// comes into view.
import { type NodeHandle, Position } from "@xyflow/react";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { isLoopFamily, useKinds } from "../../document/kinds";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { bodyHeight } from "../../node-ui";
import { handlesOf, isInRow } from "../../scene/wires";
import type { Tell, Unseen } from "../nodes";
import { limitsOf } from "./levels";

/** The heights of card parts in the stylesheets, in pixels. */
const HEADER = 34;
/** The space above and below the socket rows, including the line above them. */
const AROUND_PORTS = { above: 7, below: 6 };
const ROW = 22;
const SOCKET = 11;
/** The height of a Loop's settings. */
const LOOP = 96;
const WIDTH = { usual: 196, loop: 206, end: 176, value: 148 };

function widthOf(kind: KindInfo): number {
  if (isLoopFamily(kind)) return kind.repeats ? WIDTH.loop : WIDTH.end;
  if (kind.shape === "scope_end") return WIDTH.end;
  return kind.shape === "input" || kind.shape === "output" ? WIDTH.value : WIDTH.usual;
}

function bodyOf(kind: KindInfo): number {
  if (isLoopFamily(kind)) return kind.repeats ? LOOP : 0;
  return bodyHeight(kind.type);
}

/**
 * Half a pixel that is added to each estimated height. No real card has such a height, so xyflow reports a
 * change of size for every card once it is measured.
 */
const PART = 0.5;

/** The names of the sockets in a card's rows, from the top. */
export interface SocketRows {
  inputs: readonly string[];
  outputs: readonly string[];
}

/**
 * Returns the estimated size and socket positions of a card; null for a note, whose size depends on its text.
 */
export function unseen(kind: KindInfo, { inputs, outputs }: SocketRows): Unseen | null {
  if (kind.shape === "annotation") return null;
  const width = widthOf(kind);
  const rows = Math.max(inputs.length, outputs.length);
  const ports = rows > 0 ? AROUND_PORTS.above + rows * ROW + AROUND_PORTS.below : 0;
  const handle =
    (type: "source" | "target") =>
    (id: string, row: number): NodeHandle => ({
      id,
      type,
      position: type === "source" ? Position.Right : Position.Left,
      x: (type === "source" ? width : 0) - SOCKET / 2,
      y: HEADER + AROUND_PORTS.above + (row + 0.5) * ROW - SOCKET / 2,
      width: SOCKET,
      height: SOCKET,
    });
  return {
    measured: { width, height: HEADER + ports + bodyOf(kind) + PART },
    handles: [...inputs.map(handle("target")), ...outputs.map(handle("source"))],
  };
}

/**
 * Returns the function that estimates the cards of the open document. Null if every card must be mounted and
 * measured, for example while cards have no positions yet. `connected` contains the wired sockets, which are
 * in rows.
 */
export function tellOf(nodeCount: number, connected: ReadonlySet<string>): Tell | null {
  const { document, unplaced } = useDocument.getState();
  if (unplaced || !limitsOf(nodeCount).onlyVisible) return null;
  const { analysis } = useAnalysis.getState();
  const kinds = useKinds.getState().byType;
  return ({ id, type }) => {
    const kind = kinds.get(type);
    if (!kind) return null;
    const { inputs, outputs } = handlesOf(document, analysis, kinds, id, type);
    const inRows = (handles: readonly HandleInfo[], output: boolean) =>
      handles.filter((handle) => isInRow(kind, id, handle, output, connected)).map(({ name }) => name);
    return unseen(kind, { inputs: inRows(inputs, false), outputs: inRows(outputs, true) });
  };
}
