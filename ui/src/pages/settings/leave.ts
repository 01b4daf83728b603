// Out of the settings: back to the editor with a document in hand, else to the gallery.
import { useDocument } from "../../document/document";
import { useSession } from "../../session/session";

export function leaveSettings(): void {
  const hasDocument = useDocument.getState().document.nodes.length > 0;
  useSession.getState().show(hasDocument ? "editor" : "gallery");
}
