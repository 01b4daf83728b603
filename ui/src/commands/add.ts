// Add nodes without the palette.

import { newNode, offersOf } from "../document/build";
import { useDocument } from "../document/document";
import { addNode } from "../document/edits";
import { useKinds } from "../document/kinds";
import { handlesNow } from "../drawn/drawn";
import { GRID, snapPoint } from "../kernels/geometry";
import { canvasView } from "../session/canvas-view";
import { useConnecting, type WireEnd } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor, target } from "./selection";

/** The first output of the node that is selected or has the focus. */
function endToAddFrom(): WireEnd | null {
  const node = target();
  const [handle] = node === null ? [] : handlesNow(node).outputs;
  return node !== null && handle ? { node, handle, output: true } : null;
}

export const quickAddCommand: Command = {
  id: "node.quickAdd",
  label: "Add node",
  icon: "plus",
  keys: ["a"],
  scope: "canvas",
  possible: inEditor,
  run: () => {
    const view = canvasView();
    if (!view) return;
    const from = endToAddFrom();
    const box = from && view.boxes().get(from.node);
    // Behind the node that is selected, where there is one: what is added is wired to it.
    const at = box ? { x: box.right + 3 * GRID, y: box.top + 2 * GRID } : view.centre();
    useConnecting.getState().openQuickAdd({ at: view.toClient(at), from: box ? from : null });
  },
};

export const searchPaletteCommand: Command = {
  id: "palette.search",
  label: "Search nodes",
  icon: "search",
  keys: ["/"],
  scope: "canvas",
  possible: inEditor,
  run: () => {
    useSession.getState().patch({ paletteOpen: true });
    requestAnimationFrame(() => document.getElementById("palette-search")?.focus());
  },
};

export const addNoteCommand: Command = {
  id: "node.addNote",
  label: "Add note",
  icon: "sticky-note",
  scope: "canvas",
  possible: () => useKinds.getState().kinds.some((kind) => kind.shape === "annotation"),
  run: () => {
    const note = offersOf(useKinds.getState().kinds, []).find((offer) => offer.kind.shape === "annotation");
    if (!note) return;
    const { document, edit } = useDocument.getState();
    const centre = canvasView()?.centre() ?? { x: 0, y: 0 };
    const node = newNode(document, note, snapPoint({ x: centre.x - 92, y: centre.y - 40 }));
    edit(addNode(node), { label: "Add note", select: [node.id] });
    canvasView()?.focus(node.id);
  },
};
