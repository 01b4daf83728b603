// Helpers over the selection that several commands share.
import { useDocument } from "../document/document";
import type { FlowEdge, FlowNode } from "../ipc/generated/bindings";
import { useSession } from "../session/session";

export const hasSelection = (): boolean => {
  const { selection, view } = useSession.getState();
  return view === "editor" && (selection.nodes.size > 0 || selection.edges.size > 0);
};

/** The selected nodes and the wires between them. */
export function selectedElements(): { nodes: FlowNode[]; edges: FlowEdge[] } {
  const { nodes: ids } = useSession.getState().selection;
  const { document } = useDocument.getState();
  return {
    nodes: document.nodes.filter((node) => ids.has(node.id)),
    edges: document.edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target)),
  };
}

/** Forgets what is selected but no longer there. */
export function keepSelectionValid(): void {
  const { selection, select } = useSession.getState();
  const { document } = useDocument.getState();
  const nodes = new Set(document.nodes.map((node) => node.id));
  const edges = new Set(document.edges.map((edge) => edge.id));
  select(
    [...selection.nodes].filter((id) => nodes.has(id)),
    [...selection.edges].filter((id) => edges.has(id)),
  );
}

export const inEditor = (): boolean => useSession.getState().view === "editor";
