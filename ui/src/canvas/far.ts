// A large flow seen from afar: cards are plain boxes, too small for words and sockets. Then one bitmap shows cards, wires
// and hulls (FarPicture), and only what a hand or the keyboard is at is drawn as itself.
import { useMemo } from "react";
import { create } from "zustand";
import { shownRun, useRuns } from "../runs/store";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import { wireActivity } from "./activity";
import type { WireEdgeType } from "./WireEdge";

/** Of a selection larger than this, nodes stay boxes as well, and wires on the bitmap. */
const FEW = 20;

export interface HullShape {
  path: string;
  classes: string;
  /** Whether the loop has no end yet. */
  open: boolean;
}

interface FarState {
  /** Whether the bitmap shows the flow. */
  far: boolean;
  /** The node that the pointer or the keyboard's focus is at. */
  node: string | null;
  /** The wire that the pointer is at. */
  wire: string | null;
  /** Outlines of loop bodies, by the node that opens them. */
  hulls: ReadonlyMap<string, HullShape>;
}

export const useFar = create<FarState>()(() => ({ far: false, node: null, wire: null, hulls: new Map() }));

export function setHull(start: string, hull: HullShape | null): void {
  const hulls = new Map(useFar.getState().hulls);
  if (hull) hulls.set(start, hull);
  else hulls.delete(start);
  useFar.setState({ hulls });
}

/** Whether the node is only a box now: its sockets and words are not there. */
export function useIsBox(id: string, selected: boolean): boolean {
  const away = useFar((s) => s.far && s.node !== id);
  const asItself = useSession((s) => selected && s.selection.nodes.size <= FEW);
  return away && !asItself;
}

const noNodes: ReadonlySet<string> = new Set();

/** The wires that are drawn as themselves: all of them, unless the flow is seen from afar. Of many that are chosen the nodes show it. */
export function useNearWires(edges: WireEdgeType[]): WireEdgeType[] {
  const far = useFar((s) => s.far);
  const wire = useFar((s) => s.wire);
  const chosen = useSession((s) => (far ? s.selection.nodes : noNodes));
  const fewWires = useSession((s) => s.selection.edges.size <= FEW);
  const run = useRuns((s) => (far ? (shownRun(s)?.state ?? null) : null));
  const choice = useChosenIteration((s) => s.chosen);
  return useMemo(() => {
    if (!far) return edges;
    const few = chosen.size <= FEW ? chosen : noNodes;
    return edges.filter(
      (edge) =>
        edge.id === wire ||
        (edge.selected && fewWires) ||
        edge.data?.wire.loop != null ||
        few.has(edge.source) ||
        few.has(edge.target) ||
        (edge.data &&
          wireActivity(run, choice, edge.data.wire.edge.source, edge.data.wire.edge.target) === "flow"),
    );
  }, [far, edges, wire, chosen, fewWires, run, choice]);
}
