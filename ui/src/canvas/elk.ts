// ELK in a worker of its own, loaded when it is first asked for: it is large, and a large flow keeps it busy for a while.
import type { ELK, ElkNode } from "elkjs/lib/elk-api";

let loading: Promise<ELK> | null = null;

async function load(): Promise<ELK> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import("elkjs/lib/elk-api"),
    import("elkjs/lib/elk-worker.min.js?url"),
  ]);
  return new Elk({ workerUrl });
}

/** The graph with places and sizes. Rejects when ELK finds a mistake in it. */
export async function laidOut(graph: ElkNode): Promise<ElkNode> {
  loading ??= load();
  return (await loading).layout(graph);
}
