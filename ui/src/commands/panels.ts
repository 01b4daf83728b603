// The panels over the canvas: find and replace, and the edit history.

import { useCanvasPanels } from "../session/canvas-panels";
import { testIds } from "../testids";
import type { Command } from "./command";
import { canEdit, inEditor } from "./selection";

export const findCommand: Command = {
  id: "edit.find",
  label: "Find and replace…",
  icon: "search",
  keys: ["mod+f", "mod+h"],
  scope: "window",
  possible: inEditor,
  run: () => {
    const { open, show } = useCanvasPanels.getState();
    if (open === "find")
      document.querySelector<HTMLInputElement>(`[data-testid="${testIds.findPanel}"] input`)?.select();
    else show("find");
  },
};

export const historyCommand: Command = {
  id: "edit.history",
  label: "Edits: list of past states",
  icon: "history",
  keys: ["mod+alt+z"],
  scope: "window",
  possible: canEdit,
  run: () => useCanvasPanels.getState().toggle("history"),
};
