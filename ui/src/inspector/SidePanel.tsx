// The right-hand panel: settings of the selected node while editing, its values while a run is shown.
import { useSelectedNodeId, useSession } from "../session/session";
import { NodeSettings } from "./NodeSettings";
import { RunInspector } from "./run/RunInspector";
import { WorkflowSettings } from "./WorkflowSettings";
import "./form/form.css";
import "./inspector.css";

export function SidePanel() {
  const selected = useSelectedNodeId();
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
