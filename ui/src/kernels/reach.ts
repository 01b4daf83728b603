// Finds the nodes that can be reached from a node along the wires, and the nodes from which it can be
// reached.

interface Edge {
  source: string;
  target: string;
}

/**
 * Returns the nodes from which `id` can be reached (`direction` is "to"), or the nodes that can be reached
 * from `id` ("from"). The node itself is included only if it is part of a cycle.
 */
export function reachableNodes(
  edges: readonly Edge[],
  id: string,
  direction: "to" | "from",
): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const edge of edges) {
    const [at, other] = direction === "to" ? [edge.target, edge.source] : [edge.source, edge.target];
    const others = next.get(at);
    if (others) others.push(other);
    else next.set(at, [other]);
  }
  const found = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const other of next.get(at) ?? []) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}
