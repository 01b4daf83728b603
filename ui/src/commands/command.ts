// A user command: declared once and offered by buttons, menus, keys and the command palette.
import type { IconName } from "../components/Icon";
import { inEditor } from "./selection";

export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** The keys as `mod+shift+z`; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys?: readonly string[];
  /**
   * Where its keys work: everywhere, or only while the canvas is focused. Single letters must be "canvas".
   */
  scope: "window" | "canvas";
  /** Returns whether it can be done now; absent means always. */
  possible?: () => boolean;
  /** The clipboard event that the web view sends for its keys. */
  clipboard?: "copy" | "cut" | "paste";
  run: () => unknown;
}

/** Returns whether it can be done now. Canvas commands need the canvas. */
export const isPossible = ({ scope, possible }: Command): boolean =>
  (scope !== "canvas" || inEditor()) && (possible?.() ?? true);
