// The content of the canvas: the document's wires with the sockets at their ends. It is computed once per
// change of document or analysis, and read by sockets, wires and hulls.
import { create } from "zustand";
import { useAnalysis } from "../document/analysis";
import { breadcrumbPath, useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { visibleEnds } from "../kernels/folds";
import { useFoldedLoops } from "../session/folds";
import { foldsOf, type SceneFold } from "./folds";
import { connectedSockets, endsOf, handlesOf, type NodeHandles, type Wire, wiresOf } from "./wires";

interface SceneState {
  wires: Wire[];
  /** All wires, including those within a fold. */
  allWires: readonly Wire[];
  connected: ReadonlySet<string>;
  folds: readonly SceneFold[];
  /** For each hidden node, the node drawn in its place. */
  hiddenBy: ReadonlyMap<string, string>;
}

function folded(all: readonly Wire[], hiddenBy: ReadonlyMap<string, string>): Wire[] {
  if (hiddenBy.size === 0) return [...all];
  return all.flatMap((wire): Wire[] => {
    const plain = endsOf(wire);
    const ends = visibleEnds(plain, hiddenBy);
    if (ends === null) return [];
    return [
      ends === plain ? wire : { ...wire, ends, loop: hiddenBy.has(wire.edge.target) ? null : wire.loop },
    ];
  });
}

function draw(): SceneState {
  const state = useDocument.getState();
  const { document } = state;
  const { analysis } = useAnalysis.getState();
  const allWires = wiresOf(document, analysis, useKinds.getState().byType);
  const { folds, hiddenBy } = foldsOf(
    document,
    analysis,
    breadcrumbPath(state),
    useFoldedLoops.getState().folded,
  );
  const wires = folded(allWires, hiddenBy);
  return { wires, allWires, connected: connectedSockets(wires), folds, hiddenBy };
}

export const useScene = create<SceneState>()(() => ({
  wires: [],
  allWires: [],
  connected: new Set(),
  folds: [],
  hiddenBy: new Map(),
}));

/** Keeps the scene up to date while the canvas is mounted. Returns a function that stops the updates. */
export function followForDrawing(): () => void {
  const redraw = () => useScene.setState(draw());
  redraw();
  const stops = [
    useDocument.subscribe((s, before) => {
      const { edges, groups } = before.document;
      if (s.document.edges !== edges || s.document.groups !== groups || s.place !== before.place) redraw();
    }),
    useAnalysis.subscribe((s, before) => {
      if (s.analysis !== before.analysis) redraw();
    }),
    useKinds.subscribe(redraw),
    useFoldedLoops.subscribe(redraw),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns the input and output handles with which a node is drawn at present. */
export function handlesNow(id: string): NodeHandles {
  const { document } = useDocument.getState();
  const type = document.nodes.find((node) => node.id === id)?.type ?? "";
  return handlesOf(document, useAnalysis.getState().analysis, useKinds.getState().byType, id, type);
}
