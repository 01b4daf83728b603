// Undoes the last user action.
import { useDocument } from "../document/document";
import { changeInView } from "./change-in-view";
import type { Command } from "./command";
import { keepSelectionValid } from "./selection";

export const undoCommand: Command = {
  id: "edit.undo",
  label: "Undo",
  icon: "undo-2",
  keys: ["mod+z"],
  scope: "window",
  possible: () => useDocument.getState().history.done.length > 0,
  run: () => {
    changeInView(() => useDocument.getState().undo());
    keepSelectionValid();
  },
};
