// What people call a node, wherever one is named. Pure.
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";

/** A node's label, else its id. */
export const titleOf = (node: Pick<FlowNode, "id" | "data">): string =>
  typeof node.data?.label === "string" && node.data.label !== "" ? node.data.label : node.id;

/** What the node of this id is called; the id itself where there is no such node. */
export function titleIn(document: Pick<FlowDoc, "nodes"> | null | undefined, id: string): string {
  const node = document?.nodes.find((one) => one.id === id);
  return node ? titleOf(node) : id;
}
