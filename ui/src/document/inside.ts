// Flows held within flows: reading and changing the one that breadcrumbs of subflow nodes lead to. Pure.
import type { FlowDoc, FlowNode, Json } from "../ipc/generated/bindings";

/** The field of a node's data that holds an inline flow, and the one that names a file instead. */
export const FLOW = "flow";
export const REF = "ref";

const isFlow = (value: Json): value is FlowDoc =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const complete = new WeakMap<object, FlowDoc>();

/** The flow that a node holds; its lists are there even where the file leaves them out. */
export function heldFlow(node: FlowNode | undefined): FlowDoc | null {
  const flow = node?.data[FLOW];
  if (!isFlow(flow)) return null;
  if (Array.isArray(flow.nodes) && Array.isArray(flow.edges)) return flow;
  // The same object for the same flow: the page compares by reference.
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

/** The file that a node refers to. */
export function refOf(node: FlowNode | undefined): string | null {
  const ref = node?.data[REF];
  return typeof ref === "string" && ref.trim() !== "" ? ref : null;
}

/** The flow at the end of the breadcrumbs; null where one of them holds none. */
export function flowAt(root: FlowDoc, breadcrumbs: readonly string[]): FlowDoc | null {
  let flow: FlowDoc | null = root;
  for (const id of breadcrumbs) flow = flow && heldFlow(flow.nodes.find((node) => node.id === id));
  return flow;
}

/** The longest beginning of breadcrumbs that leads somewhere: what is left of them after an undo. */
export function existingPath(root: FlowDoc, breadcrumbs: readonly string[]): readonly string[] {
  let length = breadcrumbs.length;
  while (length > 0 && flowAt(root, breadcrumbs.slice(0, length)) === null) length -= 1;
  return length === breadcrumbs.length ? breadcrumbs : breadcrumbs.slice(0, length);
}

/** The document with the flow at the end of the breadcrumbs changed; everything beside them is shared. */
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
