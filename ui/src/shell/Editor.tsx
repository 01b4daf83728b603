// The editor's frame. While editing: palette, canvas, settings. While a run is shown: canvas over dock, inspector.
import { SidePanel } from "../inspector/SidePanel";

export function Editor() {
  return (
    <div className="main">
      <SidePanel />
    </div>
  );
}
