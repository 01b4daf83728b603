// Repeats the last undone action.
import { useDocument } from "../document/document";
import { changeInView } from "./change-in-view";
import type { Command } from "./command";
import { keepSelectionValid } from "./selection";

export const redoCommand: Command = {
  id: "edit.redo",
  label: "Redo",
  icon: "redo-2",
  keys: ["mod+shift+z", "mod+y"],
  scope: "window",
  possible: () => useDocument.getState().history.undone.length > 0,
  run: () => {
    changeInView(() => useDocument.getState().redo());
    keepSelectionValid();
  },
};
