// Ids that a file gives twice: nothing could show, select or delete one of two nodes with one id alone.
import type { FlowDoc } from "../ipc/generated/bindings";
import { titleOf } from "../kernels/node-title";
import { freeId } from "./ids";

export interface OwnIds {
  /** The same object where every id is given once. */
  document: FlowDoc;
  /** What became of doubled ids of nodes, a sentence each. */
  notes: string[];
}

/**
 * The document with an id of its own for each node and each wire: the first of several keeps it, with the wires and everything
 * that refers to it, and the others get free ones.
 */
export function ownIds(document: FlowDoc): OwnIds {
  const notes: string[] = [];
  const lists = { nodes: document.nodes ?? [], edges: document.edges ?? [] };
  const nodes = apart(lists.nodes, (node, id) => {
    const copy = { ...node, id };
    const called = titleOf(node) === node.id ? "" : ` (“${titleOf(node)}”)`;
    notes.push(`Two nodes had the id “${node.id}”: the second${called} is “${id}” now, without wires.`);
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
