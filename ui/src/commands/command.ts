// What a user command is: declared once, offered by buttons, menus, keys and the command list alike.
import type { IconName } from "../components/Icon";
import { inEditor } from "./selection";

export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** Keys as `mod+shift+z`; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys?: readonly string[];
  /** Where its keys work: everywhere, or only while the canvas has the focus. Single letters must be "canvas". */
  scope: "window" | "canvas";
  /** Whether it can be done now; absent means always. */
  possible?: () => boolean;
  /** The event of the clipboard that the web view sends for its keys. */
  clipboard?: "copy" | "cut" | "paste";
  run: () => unknown;
}

/** Whether it can be done now: what is for the canvas only where the canvas is. */
export const isPossible = ({ scope, possible }: Command): boolean =>
  (scope !== "canvas" || inEditor()) && (possible?.() ?? true);
