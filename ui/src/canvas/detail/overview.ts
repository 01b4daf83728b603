// The elements that are still drawn while the overview bitmap shows the flow: the card and the wire under the
// pointer, the focused card, a small selection, feedback wires, and wires with activity.
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { shownRun, useRuns } from "../../runs/session/store";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { wireActivity } from "../activity";
import type { WireEdgeType } from "../wires/WireEdge";

/**
 * The maximum number of selected nodes that are drawn as elements. A larger selection stays on the bitmap.
 */
const MAX_SELECTED_ELEMENTS = 20;

export interface HullShape {
  path: string;
  classes: string;
  /** Whether the loop has no Exit yet. */
  open: boolean;
}

interface OverviewState {
  /** Whether the bitmap shows the flow. */
  isShown: boolean;
  /** The node under the pointer, or with the keyboard focus; null if there is none. */
  node: string | null;
  /** The wire under the pointer; null if there is none. */
  wire: string | null;
  /** The outlines of loop bodies, by the node that opens them. */
  hulls: ReadonlyMap<string, HullShape>;
}

export const useOverview = create<OverviewState>()(() => ({
  isShown: false,
  node: null,
  wire: null,
  hulls: new Map(),
}));

export function setOverviewShown(isShown: boolean): void {
  if (useOverview.getState().isShown !== isShown) useOverview.setState({ isShown, node: null, wire: null });
}

function setHull(start: string, hull: HullShape | null): void {
  const hulls = new Map(useOverview.getState().hulls);
  if (hull) hulls.set(start, hull);
  else hulls.delete(start);
  useOverview.setState({ hulls });
}

/**
 * Returns whether a hull is drawn as an element. If not, the bitmap paints `shape`; pass the same object
 * until the shape changes.
 */
export function useIsHullElement(start: string, shape: HullShape | null): boolean {
  const isShown = useOverview((s) => s.isShown);
  useEffect(() => {
    if (!isShown || !shape) return;
    setHull(start, shape);
    return () => setHull(start, null);
  }, [isShown, start, shape]);
  return !isShown;
}

/**
 * Returns whether the bitmap shows the node. If so, the node's element is an empty box without text and
 * sockets.
 */
export function useIsBox(id: string, selected: boolean): boolean {
  const isOnBitmap = useOverview((s) => s.isShown && s.node !== id);
  const isSelectedElement = useSession((s) => selected && s.selection.nodes.size <= MAX_SELECTED_ELEMENTS);
  return isOnBitmap && !isSelectedElement;
}

const noNodes: ReadonlySet<string> = new Set();

/**
 * Returns the wires drawn as elements: all of them or, while the bitmap shows the flow, only the wire under
 * the pointer, wires of a small selection, feedback wires and wires with activity.
 */
export function useElementWires(edges: WireEdgeType[]): WireEdgeType[] {
  const isShown = useOverview((s) => s.isShown);
  const wire = useOverview((s) => s.wire);
  const selected = useSession((s) => (isShown ? s.selection.nodes : noNodes));
  const fewWires = useSession((s) => s.selection.edges.size <= MAX_SELECTED_ELEMENTS);
  const run = useRuns((s) => (isShown ? (shownRun(s)?.state ?? null) : null));
  const choice = useChosenIteration((s) => s.chosen);
  return useMemo(() => {
    if (!isShown) return edges;
    const nodes = selected.size <= MAX_SELECTED_ELEMENTS ? selected : noNodes;
    return edges.filter(
      (edge) =>
        edge.id === wire ||
        (edge.selected && fewWires) ||
        edge.data?.wire.loop != null ||
        nodes.has(edge.source) ||
        nodes.has(edge.target) ||
        (edge.data &&
          wireActivity(run, choice, edge.data.wire.edge.source, edge.data.wire.edge.target) === "flow"),
    );
  }, [isShown, edges, wire, selected, fewWires, run, choice]);
}
