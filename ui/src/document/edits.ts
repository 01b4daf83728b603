// Edit functions, each from a document to a document. The result shares unchanged objects with its input, and
// fields unknown to the editor are kept.
import type { Edit, FlowDoc, FlowEdge, FlowNode, Json, RenamedData } from "../ipc/generated/bindings";
import type { DocumentEdit } from "./document-edit";
import { removeFromGroups, renameInGroups } from "./groups";
import { followHandles } from "./handle-names";

export { freeId } from "./ids";

const updateNode = (document: FlowDoc, id: string, change: (node: FlowNode) => FlowNode): FlowDoc => {
  const index = document.nodes.findIndex((node) => node.id === id);
  const node = document.nodes[index];
  if (!node) return document;
  const next = change(node);
  if (next === node) return document;
  const nodes = document.nodes.slice();
  nodes[index] = next;
  return { ...document, nodes };
};

export const addNode =
  (node: FlowNode): DocumentEdit =>
  (document) => ({ ...document, nodes: [...document.nodes, node] });

export const addNodes =
  (nodes: FlowNode[], edges: FlowEdge[]): DocumentEdit =>
  (document) => ({
    ...document,
    nodes: [...document.nodes, ...nodes],
    edges: edges.length ? [...document.edges, ...edges] : document.edges,
  });

/** Returns an edit that removes nodes and edges, including the edges of removed nodes. */
export const removeElements =
  (nodeIds: ReadonlySet<string>, edgeIds: ReadonlySet<string>): DocumentEdit =>
  (document) => {
    const nodes = document.nodes.filter((node) => !nodeIds.has(node.id));
    const edges = document.edges.filter(
      (edge) => !edgeIds.has(edge.id) && !nodeIds.has(edge.source) && !nodeIds.has(edge.target),
    );
    return removeFromGroups(nodeIds)({
      ...document,
      nodes: nodes.length === document.nodes.length ? document.nodes : nodes,
      edges: edges.length === document.edges.length ? document.edges : edges,
    });
  };

/**
 * Returns an edit that changes the ids of nodes. `data` contains the new data of every node that a rename
 * affects, as computed by Rust.
 */
export const renameNodes =
  (names: ReadonlyMap<string, string>, data: RenamedData["data"]): DocumentEdit =>
  (document) => {
    const idOf = (id: string) => names.get(id) ?? id;
    const changes = (id: string) => names.has(id) || data[id] !== undefined;
    return renameInGroups(names)({
      ...document,
      nodes: document.nodes.map((node) =>
        changes(node.id) ? { ...node, id: idOf(node.id), data: data[node.id] ?? node.data } : node,
      ),
      edges: document.edges.map((edge) =>
        names.has(edge.source) || names.has(edge.target)
          ? { ...edge, source: idOf(edge.source), target: idOf(edge.target) }
          : edge,
      ),
    });
  };

/** Returns an edit that makes several edits in order. */
export const combineEdits =
  (...edits: readonly DocumentEdit[]): DocumentEdit =>
  (document) =>
    edits.reduce((changed, edit) => edit(changed), document);

export const moveNodes =
  (positions: ReadonlyMap<string, { x: number; y: number }>): DocumentEdit =>
  (document) => {
    let changed = false;
    const nodes = document.nodes.map((node) => {
      const to = positions.get(node.id);
      if (!to || (to.x === node.position.x && to.y === node.position.y)) return node;
      changed = true;
      return { ...node, position: { ...node.position, x: to.x, y: to.y } };
    });
    return changed ? { ...document, nodes } : document;
  };

/**
 * Returns an edit that sets a field of a node's data; undefined or null removes the field. If a handle is
 * renamed, its wires are updated.
 */
export const setData =
  (id: string, field: string, value: Json | undefined): DocumentEdit =>
  (document) =>
    followHandles(
      document,
      updateNode(document, id, (node) => {
        if (Object.is(node.data[field], value)) return node;
        const data = { ...node.data };
        if (value === undefined || value === null) delete data[field];
        else data[field] = value;
        return { ...node, data };
      }),
      id,
    );

export const setSetting =
  (field: string, value: Json | undefined): DocumentEdit =>
  (document) => {
    const settings = { ...(document.settings ?? {}) };
    if (value === undefined || value === null) delete settings[field];
    else settings[field] = value;
    return { ...document, settings };
  };

export const setField =
  (field: "name" | "description", value: string): DocumentEdit =>
  (document) =>
    document[field] === value ? document : { ...document, [field]: value };

export const connect =
  (edge: FlowEdge): DocumentEdit =>
  (document) =>
    document.edges.some((other) => sameEnds(other, edge))
      ? document
      : { ...document, edges: [...document.edges, edge] };

export const updateEdge =
  (edge: FlowEdge): DocumentEdit =>
  (document) => ({
    ...document,
    edges: document.edges.map((other) => (other.id === edge.id ? edge : other)),
  });

export function sameEnds(a: FlowEdge, b: FlowEdge): boolean {
  return (
    a.source === b.source &&
    a.target === b.target &&
    (a.sourceHandle ?? null) === (b.sourceHandle ?? null) &&
    (a.targetHandle ?? null) === (b.targetHandle ?? null)
  );
}

function applyOne(document: FlowDoc, edit: Edit): FlowDoc {
  switch (edit.op) {
    case "add_node":
      return addNode(edit.node)(document);
    case "remove_node":
      return removeElements(new Set([edit.id]), new Set())(document);
    case "add_edge":
      return connect(edit.edge)(document);
    case "remove_edge":
      return removeElements(new Set(), new Set([edit.id]))(document);
    case "update_edge":
      return updateEdge(edit.edge)(document);
    case "set_data":
      return setData(edit.node, edit.field, edit.value)(document);
    case "set_setting":
      return setSetting(edit.field, edit.value)(document);
  }
}

/** Returns an edit that makes the edits of a fix in order. */
export const applyEdits =
  (edits: Edit[]): DocumentEdit =>
  (document) =>
    edits.reduce(applyOne, document);
