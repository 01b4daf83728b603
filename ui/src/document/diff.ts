// The difference between two versions of a document. Versions share unchanged objects, so a diff compares
// references and visits each id once. The undo history stores differences instead of whole documents.
import type { FlowDoc, FlowEdge, FlowNode } from "../ipc/generated/bindings";

/** The values before and after a change. Undefined means absent. */
type Change<T> = [T | undefined, T | undefined];

export interface DocumentDiff {
  nodes: Map<string, Change<FlowNode>>;
  edges: Map<string, Change<FlowEdge>>;
  /** The ids in order, before and after; null if the order is the same. */
  nodeOrder: Change<string[]> | null;
  edgeOrder: Change<string[]> | null;
  /** All other fields of the document, known or not. */
  fields: Map<string, Change<unknown>>;
}

function diffList<T extends { id: string }>(before: T[], after: T[]) {
  const changes = new Map<string, Change<T>>();
  if (before === after) return { changes, order: null };
  const old = new Map(before.map((item) => [item.id, item]));
  for (const item of after) {
    const was = old.get(item.id);
    if (was !== item) changes.set(item.id, [was, item]);
    old.delete(item.id);
  }
  for (const [id, item] of old) changes.set(id, [item, undefined]);
  const idsBefore = before.map((item) => item.id);
  const idsAfter = after.map((item) => item.id);
  const same = idsBefore.length === idsAfter.length && idsBefore.every((id, i) => id === idsAfter[i]);
  return { changes, order: same ? null : ([idsBefore, idsAfter] as Change<string[]>) };
}

export function diffDocuments(before: FlowDoc, after: FlowDoc): DocumentDiff {
  const nodes = diffList(before.nodes, after.nodes);
  const edges = diffList(before.edges, after.edges);
  const fields = new Map<string, Change<unknown>>();
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === "nodes" || key === "edges") continue;
    if (before[key] !== after[key]) fields.set(key, [before[key], after[key]]);
  }
  return {
    nodes: nodes.changes,
    edges: edges.changes,
    nodeOrder: nodes.order,
    edgeOrder: edges.order,
    fields,
  };
}

export function isEmpty(diff: DocumentDiff): boolean {
  return (
    diff.nodes.size === 0 &&
    diff.edges.size === 0 &&
    diff.fields.size === 0 &&
    !diff.nodeOrder &&
    !diff.edgeOrder
  );
}

function applyList<T extends { id: string }>(
  items: T[],
  changes: Map<string, Change<T>>,
  order: Change<string[]> | null,
  side: 0 | 1,
): T[] {
  if (changes.size === 0 && !order) return items;
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const [id, change] of changes) {
    const value = change[side];
    if (value === undefined) byId.delete(id);
    else byId.set(id, value);
  }
  const ids = order?.[side] ?? items.map((item) => item.id);
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Applies a difference to a document. `"before"` undoes the change, `"after"` redoes it. */
export function applyDiff(document: FlowDoc, diff: DocumentDiff, to: "before" | "after"): FlowDoc {
  const side = to === "before" ? 0 : 1;
  const next: FlowDoc = {
    ...document,
    nodes: applyList(document.nodes, diff.nodes, diff.nodeOrder, side),
    edges: applyList(document.edges, diff.edges, diff.edgeOrder, side),
  };
  for (const [key, change] of diff.fields) {
    if (change[side] === undefined) delete next[key];
    else next[key] = change[side];
  }
  return next;
}

function mergeChanges<T>(first: Map<string, Change<T>>, second: Map<string, Change<T>>) {
  const merged = new Map(first);
  for (const [id, [before, after]] of second) {
    const earlier = merged.get(id);
    if (earlier) merged.set(id, [earlier[0], after]);
    else merged.set(id, [before, after]);
  }
  for (const [id, [before, after]] of merged) if (before === after) merged.delete(id);
  return merged;
}

const mergeOrder = (first: Change<string[]> | null, second: Change<string[]> | null) =>
  first && second ? ([first[0], second[1]] as Change<string[]>) : (first ?? second);

/** Combines two consecutive differences into one, from before the first to after the second. */
export function mergeDiffs(first: DocumentDiff, second: DocumentDiff): DocumentDiff {
  return {
    nodes: mergeChanges(first.nodes, second.nodes),
    edges: mergeChanges(first.edges, second.edges),
    nodeOrder: mergeOrder(first.nodeOrder, second.nodeOrder),
    edgeOrder: mergeOrder(first.edgeOrder, second.edgeOrder),
    fields: mergeChanges(first.fields, second.fields),
  };
}
