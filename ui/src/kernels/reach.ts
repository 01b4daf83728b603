// Which nodes lead to a node by wires, and which it leads to.

interface Edge {
  source: string;
  target: string;
}

/** The nodes that lead to `id`, or that it leads to, by the given wires. A node is among them only where a circle leads back. */
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
