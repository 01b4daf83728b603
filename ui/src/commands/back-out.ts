// Escape: close what is open, else drop the selection.
import { useConnecting } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";

export const backOutCommand: Command = {
  id: "edit.backOut",
  label: "Back out",
  keys: ["escape"],
  scope: "canvas",
  run: () => {
    if (useConnecting.getState().quickAdd) useConnecting.getState().closeQuickAdd();
    else useSession.getState().select([]);
  },
};
