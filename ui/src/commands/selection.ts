// Helpers for the selection, shared by several commands.
import { useDocument } from "../document/document";
import { useSession } from "../session/session";

export const inEditor = (): boolean => useSession.getState().view === "editor";

/** Returns whether the shown flow can be edited. The document of a past run cannot. */
export const canEdit = (): boolean => inEditor() && useDocument.getState().suspended === null;

export const hasSelection = (): boolean => {
  const { selection } = useSession.getState();
  return inEditor() && (selection.nodes.size > 0 || selection.edges.size > 0);
};

/** Returns the id of the node with the keyboard focus; null if no node has it. */
export function focusedNode(): string | null {
  const focused = document.activeElement?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
  return focused !== undefined && useDocument.getState().document.nodes.some((n) => n.id === focused)
    ? focused
    : null;
}

/**
 * Returns the ids of the nodes that a command applies to: the selection, or the focused node if it is not
 * part of the selection.
 */
export function targets(): string[] {
  if (!inEditor()) return [];
  const { nodes } = useSession.getState().selection;
  const focused = focusedNode();
  return focused !== null && !nodes.has(focused) ? [focused] : [...nodes];
}

/** Returns the id of the node that a command applies to; null if there are none or several. */
export function target(): string | null {
  const focused = inEditor() ? focusedNode() : null;
  if (focused !== null) return focused;
  const ids = targets();
  return ids.length === 1 ? (ids[0] ?? null) : null;
}

/** Removes deleted elements from the selection. */
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
