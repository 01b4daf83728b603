// What the canvas draws now: the wires of the document with the sockets they end at. Computed once per change of
// document or analysis and read by sockets, wires and hulls.
import { create } from "zustand";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { connectedSockets, handlesOf, type NodeHandles, type Wire, wiresOf } from "./wires";

interface DrawnState {
  wires: Wire[];
  connected: ReadonlySet<string>;
}

function draw(): DrawnState {
  const { document } = useDocument.getState();
  const wires = wiresOf(document, useAnalysis.getState().analysis, useKinds.getState().byType);
  return { wires, connected: connectedSockets(wires) };
}

export const useDrawn = create<DrawnState>()(() => ({ wires: [], connected: new Set() }));

/** Keeps the drawn wires up to date while the canvas is mounted. */
export function followForDrawing(): () => void {
  const redraw = () => useDrawn.setState(draw());
  redraw();
  const stops = [
    useDocument.subscribe((s, before) => {
      if (s.document.edges !== before.document.edges || s.place !== before.place) redraw();
    }),
    useAnalysis.subscribe((s, before) => {
      if (s.analysis !== before.analysis) redraw();
    }),
    useKinds.subscribe(redraw),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The handles a node is drawn with, now. */
export function handlesNow(id: string): NodeHandles {
  const { document } = useDocument.getState();
  const type = document.nodes.find((node) => node.id === id)?.type ?? "";
  return handlesOf(document, useAnalysis.getState().analysis, useKinds.getState().byType, id, type);
}
