// Steps through the iterations of the loop in the timeline.
import { chooseLoopIteration, currentLoop, stepIteration } from "../runs/view/cursor";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor } from "./selection";

function loopId(): string | null {
  const selected = [...useSession.getState().selection.nodes];
  return currentLoop(selected.length === 1 ? (selected[0] ?? null) : null);
}

const possible = () => inEditor() && loopId() !== null;

function withLoop(act: (loopId: string) => void): void {
  const id = loopId();
  if (id !== null) act(id);
}

export const previousIterationCommand: Command = {
  id: "iterations.previous",
  label: "Previous iteration",
  icon: "step-back",
  keys: ["["],
  scope: "window",
  possible,
  run: () => withLoop((id) => stepIteration(id, -1)),
};

export const nextIterationCommand: Command = {
  id: "iterations.next",
  label: "Next iteration",
  icon: "step-forward",
  keys: ["]"],
  scope: "window",
  possible,
  run: () => withLoop((id) => stepIteration(id, 1)),
};

export const firstIterationCommand: Command = {
  id: "iterations.first",
  label: "First iteration",
  icon: "skip-back",
  keys: ["shift+["],
  scope: "window",
  possible,
  run: () => withLoop((id) => chooseLoopIteration(id, 1)),
};

export const liveIterationCommand: Command = {
  id: "iterations.live",
  label: "Latest iteration",
  icon: "skip-forward",
  keys: ["shift+]"],
  scope: "window",
  possible,
  run: () => withLoop((id) => chooseLoopIteration(id, "live")),
};
