// Leaves the settings: to the editor if a document is open, otherwise to the gallery.
import { useDocument } from "../../document/document";
import { useSession } from "../../session/session";

export function leaveSettings(): void {
  const hasDocument = useDocument.getState().document.nodes.length > 0;
  useSession.getState().show(hasDocument ? "editor" : "gallery");
}
