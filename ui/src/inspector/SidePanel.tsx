// The right-hand panel: the settings of the selected node while editing, and its values while a run is shown.
import { memo, useDeferredValue, useRef } from "react";
import panelStyles from "../components/Panel.module.css";
import { useFlowNode } from "../document/document";
import { useSelectedNodeId, useSession } from "../session/session";
import { ApprovalSheet } from "../trust/ApprovalSheet";
import { useApprovalSheet } from "../trust/approval-sheet";
import { NodeSettings } from "./NodeSettings";
import { RunInspector } from "./run/RunInspector";
import { SelectedNodes } from "./SelectedNodes";
import { WorkflowSettings } from "./WorkflowSettings";

/**
 * Returns the id of the selected node; null unless exactly one is selected. During a drag the id stays
 * unchanged, since drawing another form would delay the first frames of the drag.
 */
function useSettledNodeId(): string | null {
  const selected = useSelectedNodeId();
  const dragging = useSession((s) => s.dragging);
  const settled = useRef(selected);
  if (!dragging) settled.current = selected;
  return settled.current;
}

/**
 * Returns the id of the node whose settings are drawn; null if there is none. A selected card is highlighted
 * immediately, and the form follows as soon as the page has time. When the user moves quickly over many
 * cards, only the form of the last one is drawn. A deleted node's settings disappear immediately.
 */
function useDeferredNodeId(settled: string | null): string | null {
  const deferred = useDeferredValue(settled);
  const isGone = useFlowNode(deferred) === undefined && deferred !== null;
  return isGone ? settled : deferred;
}

export function SidePanel() {
  const selected = useSettledNodeId();
  const deferred = useDeferredNodeId(selected);
  const layout = useSession((s) => s.layout);
  const asks = useApprovalSheet((s) => s.open !== null);
  // While a run streams, a deferred panel would be postponed again and again.
  if (layout === "run") return asks ? <ApprovalSheet /> : <RunInspector nodeId={selected} />;
  return <EditPanel selected={deferred} />;
}

const EditPanel = memo(function EditPanel({ selected }: { selected: string | null }) {
  const several = useSession((s) => s.selection.nodes.size > 1);
  return (
    <aside
      className={panelStyles.side}
      aria-label={selected ? "Node settings" : several ? "Selected nodes" : "Workflow settings"}
      data-region="side"
    >
      {selected ? (
        <NodeSettings key={selected} nodeId={selected} />
      ) : several ? (
        <SelectedNodes />
      ) : (
        <WorkflowSettings />
      )}
    </aside>
  );
});
