// Brings a node into view from wherever the window is, also one that is folded away.
import { afterNextDraw } from "../session/canvas-view";
import { useSession } from "../session/session";
import { useScene } from "./scene";

/** Selects a node, brings it into view and gives it the focus. Returns once it has it: what takes the focus after that keeps it. */
export function goToNode(id: string): Promise<void> {
  useSession.getState().show("editor");
  useSession.getState().select([id]);
  return afterNextDraw((view) => {
    view.reveal([id]);
    view.focus(useScene.getState().hiddenBy.get(id) ?? id);
  });
}
