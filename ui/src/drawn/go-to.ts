// Brings a node into view from wherever the window is, also one that is folded away.
import { onceDrawn } from "../session/canvas-view";
import { useSession } from "../session/session";
import { useDrawn } from "./drawn";

/** Selects a node, brings it into view and gives it the focus. */
export function goToNode(id: string): void {
  useSession.getState().show("editor");
  useSession.getState().select([id]);
  onceDrawn((view) => {
    view.reveal([id]);
    view.focus(useDrawn.getState().hiddenBy.get(id) ?? id);
  });
}
