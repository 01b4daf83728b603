// Flows inside flows: reads and changes the flow at the end of breadcrumbs of subflow nodes. Pure.
import type { FlowDoc, FlowNode, Json } from "../ipc/generated/bindings";

/** The field of a node's data that contains an inline flow, and the field that names a file instead. */
export const FLOW = "flow";
export const REF = "ref";

const isFlow = (value: Json): value is FlowDoc =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const complete = new WeakMap<object, FlowDoc>();

/**
 * Returns the flow inside a node; null if the node contains none. The flow's lists are always present, even
 * if the file omits them.
 */
export function heldFlow(node: FlowNode | undefined): FlowDoc | null {
  const flow = node?.data[FLOW];
  if (!isFlow(flow)) return null;
  if (Array.isArray(flow.nodes) && Array.isArray(flow.edges)) return flow;
  // The same flow returns the same object, since the page compares references.
  const known = complete.get(flow);
  if (known) return known;
  const made: FlowDoc = {
    ...(flow as FlowDoc),
    nodes: Array.isArray(flow.nodes) ? flow.nodes : [],
    edges: Array.isArray(flow.edges) ? flow.edges : [],
  };
  complete.set(flow, made);
  return made;
}

/** Returns the file that a node refers to; null if it refers to none. */
export function refOf(node: FlowNode | undefined): string | null {
  const ref = node?.data[REF];
  return typeof ref === "string" && ref.trim() !== "" ? ref : null;
}

/** Returns the flow at the end of the breadcrumbs; null if a node on the way contains none. */
export function flowAt(root: FlowDoc, breadcrumbs: readonly string[]): FlowDoc | null {
  let flow: FlowDoc | null = root;
  for (const id of breadcrumbs) flow = flow && heldFlow(flow.nodes.find((node) => node.id === id));
  return flow;
}

/**
 * Returns the longest prefix of the breadcrumbs that leads to an existing flow. An undo may have removed the
 * rest.
 */
export function existingPath(root: FlowDoc, breadcrumbs: readonly string[]): readonly string[] {
  let length = breadcrumbs.length;
  while (length > 0 && flowAt(root, breadcrumbs.slice(0, length)) === null) length -= 1;
  return length === breadcrumbs.length ? breadcrumbs : breadcrumbs.slice(0, length);
}

/**
 * Returns the document with a change to the flow at the end of the breadcrumbs. The result shares everything
 * else with the original.
 */
export function changedAt(
  root: FlowDoc,
  breadcrumbs: readonly string[],
  change: (flow: FlowDoc) => FlowDoc,
): FlowDoc {
  const [first, ...rest] = breadcrumbs;
  if (first === undefined) return change(root);
  const index = root.nodes.findIndex((node) => node.id === first);
  const node = root.nodes[index];
  const flow = heldFlow(node);
  if (!node || flow === null) return root;
  const next = changedAt(flow, rest, change);
  if (next === flow) return root;
  const nodes = root.nodes.slice();
  nodes[index] = { ...node, data: { ...node.data, [FLOW]: next } };
  return { ...root, nodes };
}
