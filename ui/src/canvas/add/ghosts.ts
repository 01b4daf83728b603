// The nodes and wires of the fix under the pointer, for drawing only.
import type { Edge } from "@xyflow/react";
import { useMemo } from "react";
import { useKinds } from "../../document/kinds";
import { matchHandle } from "../../kernels/handles";
import { handlesNow } from "../../scene/scene";
import { useFixPreview } from "../../session/fix-preview";
import type { GhostNode } from "./GhostCard";

export type GhostEdge = Edge<Record<string, never>, "ghost">;

export function useGhosts(): { nodes: GhostNode[]; edges: GhostEdge[] } {
  const { title, edits } = useFixPreview();
  const byType = useKinds((s) => s.byType);
  return useMemo(() => {
    const nodes = edits.flatMap((edit): GhostNode[] =>
      edit.op === "add_node"
        ? [
            {
              id: edit.node.id,
              type: "ghost",
              position: edit.node.position,
              width: 150,
              height: 90,
              selectable: false,
              draggable: false,
              focusable: false,
              data: { node: edit.node, title: title ?? "" },
            },
          ]
        : [],
    );
    const added = new Map(nodes.map((node) => [node.id, byType.get(node.data.node.type)]));
    const handles = (id: string) => added.get(id) ?? handlesNow(id);
    const edges = edits.flatMap((edit): GhostEdge[] => {
      if (edit.op !== "add_edge" && edit.op !== "update_edge") return [];
      const { edge } = edit;
      const from = matchHandle(edge.sourceHandle, handles(edge.source).outputs);
      const to = matchHandle(edge.targetHandle, handles(edge.target).inputs);
      if (!from || !to) return [];
      return [
        {
          id: `ghost|${edge.id}`,
          type: "ghost",
          source: edge.source,
          sourceHandle: from.name,
          target: edge.target,
          targetHandle: to.name,
          selectable: false,
          focusable: false,
        },
      ];
    });
    return { nodes, edges };
  }, [edits, title, byType]);
}
