// The minimap: nodes in their category's colour, those that run or have an error in the colour of that.
import { MiniMap } from "@xyflow/react";
import { problemsOf, useAnalysis } from "../document/analysis";
import { useKinds } from "../document/kinds";
import { useRunningNodes } from "../runs/running";
import { colourOf } from "./card/NodeCard";
import type { CanvasNode } from "./nodes";

export function MapPanel() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const byType = useKinds((s) => s.byType);
  const running = useRunningNodes();
  const classOf = (node: CanvasNode) => {
    if (problemsOf(problems, node.id).some((p) => p.severity === "error")) return "err";
    if (running.includes(node.id)) return "run";
    return colourOf(byType.get(node.data.node.type)).replace("c-", "mm-");
  };
  return (
    <MiniMap<CanvasNode>
      className="minimap"
      nodeClassName={classOf}
      nodeBorderRadius={14}
      pannable
      zoomable
      ariaLabel="Minimap"
    />
  );
}
