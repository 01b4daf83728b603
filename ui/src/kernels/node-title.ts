// The displayed title of a node, the same everywhere. Pure.
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";

/** Returns a node's label, otherwise its id. */
export const titleOf = (node: Pick<FlowNode, "id" | "data">): string =>
  typeof node.data?.label === "string" && node.data.label !== "" ? node.data.label : node.id;

/** Returns the title of the node with this id, or the id if there is no such node. */
export function titleIn(document: Pick<FlowDoc, "nodes"> | null | undefined, id: string): string {
  const node = document?.nodes.find((one) => one.id === id);
  return node ? titleOf(node) : id;
}
