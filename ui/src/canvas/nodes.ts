// From the document's nodes to xyflow's, sharing every one that did not change: a card is drawn again only when
// its own node, its place or its selection changed.
import type { Node } from "@xyflow/react";
import type { FlowNode } from "../ipc/generated/bindings";

export type CanvasNode = Node<{ node: FlowNode }, "card">;

export function reconcileNodes(
  drawn: readonly CanvasNode[],
  nodes: readonly FlowNode[],
  selected: ReadonlySet<string>,
): CanvasNode[] {
  const before = new Map(drawn.map((node) => [node.id, node]));
  return nodes.map((node) => {
    const was = before.get(node.id);
    const isSelected = selected.has(node.id);
    if (was?.data.node === node && (was.selected ?? false) === isSelected) return was;
    return {
      ...was,
      id: node.id,
      type: "card",
      position: was?.data.node.position === node.position && was ? was.position : node.position,
      selected: isSelected,
      data: was?.data.node === node ? was.data : { node },
      domAttributes: { "aria-labelledby": `node-label-${node.id}` } as CanvasNode["domAttributes"],
    };
  });
}
