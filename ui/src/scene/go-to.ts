// Brings a node into view from any page, including a folded one.
import { afterNextDraw } from "../session/canvas-view";
import { useSession } from "../session/session";
import { useScene } from "./scene";

/**
 * Selects a node, brings it into view and focuses it. Returns once it is focused, so that an element focused
 * later keeps the focus.
 */
export function goToNode(id: string): Promise<void> {
  useSession.getState().show("editor");
  useSession.getState().select([id]);
  return afterNextDraw((view) => {
    view.reveal([id]);
    view.focus(useScene.getState().hiddenBy.get(id) ?? id);
  });
}
