// Lay the flow out in layers: all of it, or what is selected.

import { useDocument } from "../document/document";
import { layOut } from "../drawn/layout";
import { errorMessage } from "../ipc/client";
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

export const layoutCommand: Command = {
  id: "canvas.layout",
  label: "Lay out in layers",
  icon: "workflow",
  keys: ["l"],
  scope: "canvas",
  possible: () => canEdit() && useDocument.getState().document.nodes.length > 1,
  run: () => attempt(null, "Lay out"),
};

export const layoutSelectionCommand: Command = {
  id: "canvas.layoutSelection",
  label: "Lay out the selection",
  icon: "workflow",
  keys: ["shift+l"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 1,
  run: () => attempt(new Set(targets()), "Lay out the selection"),
};
