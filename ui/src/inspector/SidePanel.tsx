// The right-hand panel: settings of the selected node while editing, its values while a run is shown.
import { memo, useDeferredValue, useRef } from "react";
import { useFlowNode } from "../document/document";
import { useSelectedNodeId, useSession } from "../session/session";
import { ApprovalSheet } from "../trust/ApprovalSheet";
import { useApprovalSheet } from "../trust/approval-sheet";
import { NodeSettings } from "./NodeSettings";
import { RunInspector } from "./run/RunInspector";
import { SelectedNodes } from "./SelectedNodes";
import { WorkflowSettings } from "./WorkflowSettings";

/** The selected node. One that is dragged is there once it lies: drawing its form would take the drag's first frames. */
function useSettledNodeId(): string | null {
  const selected = useSelectedNodeId();
  const dragging = useSession((s) => s.dragging);
  const settled = useRef(selected);
  if (!dragging) settled.current = selected;
  return settled.current;
}

/**
 * The node whose settings are drawn: the card is marked first, and its form follows when there is time. Walking over many cards
 * draws the form of the last one alone. A node that is gone is gone at once.
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
  // Not while a run streams, which would put it off again and again.
  if (layout === "run") return asks ? <ApprovalSheet /> : <RunInspector nodeId={selected} />;
  return <EditPanel selected={deferred} />;
}

const EditPanel = memo(function EditPanel({ selected }: { selected: string | null }) {
  const several = useSession((s) => s.selection.nodes.size > 1);
  return (
    <aside
      className="side"
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
