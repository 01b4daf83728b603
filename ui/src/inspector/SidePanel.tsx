// The right-hand panel: settings of the selected node while editing, its values while a run is shown.
import { useSelectedNodeId } from "../session/session";

export function SidePanel() {
  const selected = useSelectedNodeId();
  return (
    <aside className="side" aria-label="Node settings">
      {selected}
    </aside>
  );
}
