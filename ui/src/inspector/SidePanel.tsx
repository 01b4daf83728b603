// The right-hand panel: settings of the selected node while editing, its values while a run is shown.
import { useRef } from "react";
import { useSelectedNodeId, useSession } from "../session/session";
import { NodeSettings } from "./NodeSettings";
import { RunInspector } from "./run/RunInspector";
import { WorkflowSettings } from "./WorkflowSettings";
import "./form/form.css";
import "./inspector.css";

/** The selected node. One that is dragged is there once it lies: drawing its form would take the drag's first frames. */
function useSettledNodeId(): string | null {
  const selected = useSelectedNodeId();
  const dragging = useSession((s) => s.dragging);
  const settled = useRef(selected);
  if (!dragging) settled.current = selected;
  return settled.current;
}

export function SidePanel() {
  const selected = useSettledNodeId();
  const layout = useSession((s) => s.layout);
  const several = useSession((s) => s.selection.nodes.size > 1);
  if (layout === "run") return <RunInspector nodeId={selected} />;
  return (
    <aside className="side" aria-label={selected ? "Node settings" : "Workflow settings"} data-region="side">
      {selected ? (
        <NodeSettings key={selected} nodeId={selected} />
      ) : several ? (
        <p className="sec hint">Several nodes are selected. Select one to change its settings.</p>
      ) : (
        <WorkflowSettings />
      )}
    </aside>
  );
}
