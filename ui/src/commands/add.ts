// Adds nodes without the palette.

import { newNode, offersOf } from "../document/build";
import { useDocument } from "../document/document";
import { addNode } from "../document/edits";
import { useKinds } from "../document/kinds";
import { GRID, type Point } from "../kernels/geometry";
import { freePlace, SOCKET_HEIGHT } from "../kernels/placement";
import { handlesNow, useScene } from "../scene/scene";
import { endsOf } from "../scene/wires";
import { canvasView, showAdded } from "../session/canvas-view";
import { useConnecting, type WireEnd } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { editSettings } from "./node";
import { inEditor, target } from "./selection";

/**
 * Returns the first output of the selected or focused node, to which a new node is connected; null if there
 * is none.
 */
function endToAddFrom(): WireEnd | null {
  const node = target();
  const [handle] = node === null ? [] : handlesNow(node).outputs;
  return node !== null && handle ? { node, handle, output: true } : null;
}

/**
 * Returns the id and the middle of the selected wire, in flow coordinates; null unless the selection is
 * exactly one wire.
 */
function wireToAddInto(): { id: string; middle: Point } | null {
  const { nodes, edges } = useSession.getState().selection;
  const [id] = edges;
  const wire = useScene.getState().wires.find((one) => one.edge.id === id);
  if (id === undefined || !wire || nodes.size > 0 || edges.size > 1) return null;
  const view = canvasView();
  const { source, sourceHandle, target, targetHandle } = endsOf(wire);
  const [from, to] = [view?.boxes().get(source), view?.boxes().get(target)];
  if (!view || !from || !to) return null;
  const height = (node: string, handle: string, output: boolean) =>
    view.socketHeight(node, handle, output) ?? SOCKET_HEIGHT;
  const begin = from.top + height(source, sourceHandle, true);
  const end = to.top + height(target, targetHandle, false);
  return { id, middle: { x: (from.right + to.left) / 2, y: (begin + end) / 2 } };
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
    const wire = from ? null : wireToAddInto();
    if (wire) {
      useConnecting.getState().openQuickAdd({ at: view.toClient(wire.middle), from: null, into: wire.id });
      return;
    }
    const box = from && view.boxes().get(from.node);
    // The new node is placed after the selected one, if any, and wired to it.
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

/** The size of an unmeasured note, in pixels. */
const NOTE = { width: 184, height: 80 };

export const addNoteCommand: Command = {
  id: "node.addNote",
  label: "Add note",
  icon: "sticky-note",
  scope: "canvas",
  possible: () => inEditor() && useKinds.getState().kinds.some((kind) => kind.shape === "annotation"),
  run: () => {
    const note = offersOf(useKinds.getState().kinds, []).find((offer) => offer.kind.shape === "annotation");
    if (!note) return;
    const { document, edit } = useDocument.getState();
    const view = canvasView();
    const centre = view?.centre() ?? { x: 0, y: 0 };
    const wanted = { x: centre.x - NOTE.width / 2, y: centre.y - NOTE.height / 2 };
    const place = freePlace(wanted, NOTE, [...(view?.boxes().values() ?? [])]);
    const node = newNode(document, note, place);
    edit(addNode(node), { label: "Add note", select: [node.id] });
    // The nearest free place may be outside the view.
    showAdded([node.id]);
    // The text of a new note gets the focus, so that the user can write immediately. The note is not drawn
    // yet, and another card may have the focus.
    editSettings(node.id);
  },
};
