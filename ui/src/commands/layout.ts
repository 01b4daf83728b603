// "Tidy up": lays out the whole flow to fit the shape of the canvas, or only the selection.

import { useDocument } from "../document/document";
import { errorMessage } from "../ipc/client";
import { layOut } from "../scene/layout";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

async function attempt(only: ReadonlySet<string> | null, label: string): Promise<void> {
  try {
    await layOut(only, label);
  } catch (error) {
    const detail = errorMessage(error);
    useSession.getState().toast({ tone: "error", title: "The layout failed; nothing was moved", detail });
  }
}

export const tidyCommand: Command = {
  id: "canvas.tidy",
  label: "Tidy up",
  icon: "wand-sparkles",
  keys: ["l"],
  scope: "canvas",
  possible: () => canEdit() && useDocument.getState().document.nodes.length > 1,
  run: () => attempt(null, "Tidy up"),
};

export const layoutSelectionCommand: Command = {
  id: "canvas.layoutSelection",
  label: "Tidy up the selection",
  icon: "wand-sparkles",
  keys: ["shift+l"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 1,
  run: () => attempt(new Set(targets()), "Tidy up the selection"),
};
