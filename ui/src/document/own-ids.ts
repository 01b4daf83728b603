// Resolves duplicate ids in a file. If two nodes have the same id, neither can be shown, selected or deleted
// alone.
import type { FlowDoc } from "../ipc/generated/bindings";
import { titleOf } from "../kernels/node-title";
import { freeId } from "./ids";

export interface OwnIds {
  /** The document; the same object if all ids are unique. */
  document: FlowDoc;
  /** One sentence for each change of a node's id. */
  notes: string[];
}

/**
 * Returns the document with unique ids for all nodes and wires. Of several elements with the same id, the
 * first keeps the id with its wires and references; the others get unused ids.
 */
export function ownIds(document: FlowDoc): OwnIds {
  const notes: string[] = [];
  const lists = { nodes: document.nodes ?? [], edges: document.edges ?? [] };
  const nodes = apart(lists.nodes, (node, id) => {
    const copy = { ...node, id };
    const called = titleOf(node) === node.id ? "" : ` (“${titleOf(node)}”)`;
    notes.push(`Two nodes had the id “${node.id}”: the second${called} is now “${id}”, without wires.`);
    return copy;
  });
  const edges = apart(lists.edges, (edge, id) => ({ ...edge, id }));
  const isChanged = nodes !== lists.nodes || edges !== lists.edges;
  return { document: isChanged ? { ...document, nodes, edges } : document, notes };
}

function apart<T extends { id: string }>(items: T[], renamed: (one: T, id: string) => T): T[] {
  const taken = new Set(items.map(({ id }) => id));
  if (taken.size === items.length) return items;
  const seen = new Set<string>();
  return items.map((one) => {
    if (!seen.has(one.id)) {
      seen.add(one.id);
      return one;
    }
    const id = freeId(taken, one.id.replace(/_\d+$/, ""));
    taken.add(id);
    return renamed(one, id);
  });
}
