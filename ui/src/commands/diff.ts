// Switches between the plain output and the diff against the previous iteration.
import { useInspectorView } from "../session/inspector-view";
import { useSession } from "../session/session";
import type { Command } from "./command";

export const diffCommand: Command = {
  id: "inspector.diff",
  label: "Plain output or diff",
  icon: "git-branch",
  keys: ["d"],
  scope: "canvas",
  possible: () => useSession.getState().view === "editor" && useSession.getState().layout === "run",
  run: () => useInspectorView.getState().toggleDiff(),
};
