// Zoom out, in, fit, and the minimap's switch.
import { IconButton } from "../components/Button";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { useLiveView } from "./live-view";

export function ZoomBar() {
  const percent = useLiveView(([, , zoom]) => Math.round(zoom * 100));
  const minimap = useSession((s) => s.minimap);
  return (
    <div className="zoom float">
      <IconButton icon="minus" size={14} label="Zoom out" onClick={() => canvasView()?.zoomBy(1 / 1.25)} />
      <b>{percent}%</b>
      <IconButton icon="plus" size={14} label="Zoom in" onClick={() => canvasView()?.zoomBy(1.25)} />
      <span className="vr" />
      <IconButton icon="maximize" size={14} label="Fit view" hint="1" onClick={() => canvasView()?.fit()} />
      <IconButton
        icon="map"
        size={14}
        label="Minimap"
        on={minimap}
        onClick={() => useSession.getState().patch({ minimap: !minimap })}
      />
    </div>
  );
}
