// Copy the selected nodes and the wires between them, a little below and to the right.
import { useDocument } from "../document/document";
import { addNodes, copyElements } from "../document/edits";
import { GRID } from "../kernels/geometry";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { selectedElements } from "./selection";

export const duplicateCommand: Command = {
  id: "edit.duplicate",
  label: "Duplicate",
  icon: "copy-plus",
  keys: ["mod+d"],
  scope: "canvas",
  possible: () => selectedElements().nodes.length > 0,
  run: () => {
    const { document, edit } = useDocument.getState();
    const copies = copyElements(document, selectedElements(), { x: 2 * GRID, y: 2 * GRID });
    edit(addNodes(copies.nodes, copies.edges), { label: "Duplicate" });
    useSession.getState().select(copies.nodes.map((node) => node.id));
  },
};
