// Brings a node into view from any page, even if a fold hides the node.
import { afterNextDraw } from "../session/canvas-view";
import { useSession } from "../session/session";
import { useScene } from "./scene";

/**
 * Selects a node, brings it into view and focuses it. Resolves once it is focused, so that the caller can
 * focus another element afterwards.
 */
export function goToNode(id: string): Promise<void> {
  useSession.getState().show("editor");
  useSession.getState().select([id]);
  return afterNextDraw((view) => {
    view.reveal([id]);
    view.focus(useScene.getState().hiddenBy.get(id) ?? id);
  });
}
