// Handles whose names a node declares in its data. When a handle is renamed, wires and other references to it
// are updated.
import type { FlowDoc, FlowNode, Json } from "../ipc/generated/bindings";

function nameOf(entry: Json): string {
  if (typeof entry === "string") return entry;
  const { name } = (entry ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : "";
}

const namesIn = (value: Json): string[] => (Array.isArray(value) ? value.map(nameOf) : []);

/**
 * Returns the renamed entries of a list whose length is unchanged, keyed by the old name. An entry that only
 * moved is not renamed.
 */
export function renamed(before: Json, after: Json): ReadonlyMap<string, string> {
  const [old, now] = [namesIn(before), namesIn(after)];
  if (old.length !== now.length) return new Map();
  const pairs = old.flatMap((name, i): [string, string][] => {
    const next = now[i] ?? "";
    return name === "" || next === "" || now.includes(name) || old.includes(next) ? [] : [[name, next]];
  });
  return new Map(pairs);
}

/**
 * Returns the document `after` with the wires of node `id` updated to the current names in its `inputs`,
 * `branches` and `outputs`.
 */
export function followHandles(before: FlowDoc, after: FlowDoc, id: string): FlowDoc {
  const find = (document: FlowDoc) => document.nodes.find((node) => node.id === id);
  const [was, is] = [find(before), find(after)];
  if (!was || !is || was === is) return after;
  const inputs = renamed(was.data.inputs, is.data.inputs);
  const branches = renamed(was.data.branches, is.data.branches);
  const outputs = new Map([...branches, ...renamed(was.data.outputs, is.data.outputs)]);
  if (inputs.size === 0 && outputs.size === 0) return after;
  const at = (names: ReadonlyMap<string, string>, handle: string | null | undefined) =>
    names.get(handle ?? "") ?? handle ?? null;
  const fallback = branches.get(String(is.data.fallback ?? ""));
  const node: FlowNode = fallback === undefined ? is : { ...is, data: { ...is.data, fallback } };
  return {
    ...after,
    nodes: node === is ? after.nodes : after.nodes.map((one) => (one === is ? node : one)),
    edges: after.edges.map((edge) => {
      const source = edge.source === id ? at(outputs, edge.sourceHandle) : (edge.sourceHandle ?? null);
      const target = edge.target === id ? at(inputs, edge.targetHandle) : (edge.targetHandle ?? null);
      const same = source === (edge.sourceHandle ?? null) && target === (edge.targetHandle ?? null);
      return same ? edge : { ...edge, sourceHandle: source, targetHandle: target };
    }),
  };
}
