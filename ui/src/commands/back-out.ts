// Escape: close what is open, else drop the selection, else go out of the subflow.
import { goOut } from "../document/files";
import { useConnecting } from "../session/connecting";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { hasSelection } from "./selection";

export const backOutCommand: Command = {
  id: "edit.backOut",
  label: "Back out",
  keys: ["escape"],
  scope: "canvas",
  run: () => {
    if (useConnecting.getState().quickAdd) useConnecting.getState().closeQuickAdd();
    else if (hasSelection()) useSession.getState().select([]);
    else void goOut();
  },
};
