// A user command. It is declared once, and offered by buttons, menus, keys and the command palette.
import type { IconName } from "../components/Icon";
import { inEditor } from "./selection";

export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** The keys in the notation `mod+shift+z`; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys?: readonly string[];
  /**
   * The place where the command's keys work: everywhere, or only while the canvas is focused. Single letters
   * must be "canvas".
   */
  scope: "window" | "canvas";
  /** Returns whether the command can be executed now. If absent, it always can. */
  possible?: () => boolean;
  /** The event that the web view sends for the keys of a clipboard command. */
  clipboard?: "copy" | "cut" | "paste";
  run: () => unknown;
}

/** Returns whether a command can be executed now. Canvas commands also need the canvas to be shown. */
export const isPossible = ({ scope, possible }: Command): boolean =>
  (scope !== "canvas" || inEditor()) && (possible?.() ?? true);
