// Edit functions: a document in, a document out. What does not change is shared with the one before, and fields
// that the editor does not know travel along untouched.
import type { Edit, FlowDoc, FlowEdge, FlowNode, Json } from "../ipc/generated/bindings";

export type DocumentEdit = (document: FlowDoc) => FlowDoc;

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

/** Removes nodes and edges; edges of a removed node go with it. */
export const removeElements =
  (nodeIds: ReadonlySet<string>, edgeIds: ReadonlySet<string>): DocumentEdit =>
  (document) => {
    const nodes = document.nodes.filter((node) => !nodeIds.has(node.id));
    const edges = document.edges.filter(
      (edge) => !edgeIds.has(edge.id) && !nodeIds.has(edge.source) && !nodeIds.has(edge.target),
    );
    return {
      ...document,
      nodes: nodes.length === document.nodes.length ? document.nodes : nodes,
      edges: edges.length === document.edges.length ? document.edges : edges,
    };
  };

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

/** Sets a field of a node's data; undefined or null removes it. */
export const setData =
  (id: string, field: string, value: Json | undefined): DocumentEdit =>
  (document) =>
    updateNode(document, id, (node) => {
      if (Object.is(node.data[field], value)) return node;
      const data = { ...node.data };
      if (value === undefined || value === null) delete data[field];
      else data[field] = value;
      return { ...node, data };
    });

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

/** The edits of a fix, in order. */
export const applyEdits =
  (edits: Edit[]): DocumentEdit =>
  (document) =>
    edits.reduce(applyOne, document);

/** A free id made of a readable stem: "llm", "llm-2", "llm-3"… */
export function freeId(taken: { has(id: string): boolean }, stem: string): string {
  const base = stem.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "") || "node";
  if (!taken.has(base)) return base;
  for (let n = 2; ; n++) {
    const id = `${base}_${n}`;
    if (!taken.has(id)) return id;
  }
}

/** Copies of nodes and of the edges between them, under new ids and moved by `offset`. */
export function copyElements(
  document: FlowDoc,
  source: { nodes: FlowNode[]; edges: FlowEdge[] },
  offset: { x: number; y: number },
): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const taken = new Set(document.nodes.map((node) => node.id));
  const takenEdges = new Set(document.edges.map((edge) => edge.id));
  const renamed = new Map<string, string>();
  const nodes = source.nodes.map((node) => {
    const id = freeId(taken, node.id.replace(/_\d+$/, ""));
    taken.add(id);
    renamed.set(node.id, id);
    const position = { x: node.position.x + offset.x, y: node.position.y + offset.y };
    return { ...structuredClone(node), id, position };
  });
  const edges = source.edges.flatMap((edge) => {
    const from = renamed.get(edge.source);
    const to = renamed.get(edge.target);
    if (!from || !to) return [];
    const id = freeId(takenEdges, edge.id.replace(/_\d+$/, ""));
    takenEdges.add(id);
    return [{ ...structuredClone(edge), id, source: from, target: to }];
  });
  return { nodes, edges };
}
