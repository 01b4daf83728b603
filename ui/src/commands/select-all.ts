// Selects every node.
import { useDocument } from "../document/document";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor } from "./selection";

export const selectAllCommand: Command = {
  id: "edit.selectAll",
  label: "Select all",
  keys: ["mod+a"],
  scope: "canvas",
  possible: inEditor,
  run: () => useSession.getState().select(useDocument.getState().document.nodes.map((node) => node.id)),
};
