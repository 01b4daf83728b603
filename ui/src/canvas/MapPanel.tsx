// The minimap: nodes in their category's colour, those that run or have an error in the colour of that.
import { MiniMap } from "@xyflow/react";
import { problemsOf, useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { useRunningNodes } from "../runs/running";
import { colourOf } from "./card/NodeCard";
import type { CanvasNode } from "./nodes";

/** In pixels; xyflow computes its drawing from the same numbers. */
const SIZE = { width: 148, height: 96 };

export function MapPanel() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const byType = useKinds((s) => s.byType);
  // Hundreds of rounded corners cost more than they show.
  const many = useDocument((s) => s.document.nodes.length > 60);
  const running = useRunningNodes();
  const classOf = (node: CanvasNode) => {
    if (problemsOf(problems, node.id).some((p) => p.severity === "error")) return "err";
    if (running.includes(node.id)) return "run";
    return colourOf(byType.get(node.data.node.type)).replace("c-", "mm-");
  };
  return (
    <MiniMap<CanvasNode>
      className="minimap"
      style={SIZE}
      nodeClassName={classOf}
      nodeBorderRadius={many ? 0 : 14}
      maskColor="transparent"
      maskStrokeColor="var(--accent)"
      maskStrokeWidth={1}
      pannable
      zoomable
      ariaLabel="Minimap"
    />
  );
}
