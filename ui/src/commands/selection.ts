// Helpers over the selection that several commands share.
import { useDocument } from "../document/document";
import { useSession } from "../session/session";

export const inEditor = (): boolean => useSession.getState().view === "editor";

/** Whether the flow that is shown can be changed: a past run's cannot. */
export const canEdit = (): boolean => inEditor() && useDocument.getState().suspended === null;

export const hasSelection = (): boolean => {
  const { selection } = useSession.getState();
  return inEditor() && (selection.nodes.size > 0 || selection.edges.size > 0);
};

/** The node that has the keyboard's focus. */
export function focusedNode(): string | null {
  const focused = document.activeElement?.closest<HTMLElement>(".react-flow__node")?.dataset.id;
  return focused !== undefined && useDocument.getState().document.nodes.some((n) => n.id === focused)
    ? focused
    : null;
}

/** The nodes that a command is about: what is selected; the node that has the focus where it is not among it. */
export function targets(): string[] {
  if (!inEditor()) return [];
  const { nodes } = useSession.getState().selection;
  const focused = focusedNode();
  return focused !== null && !nodes.has(focused) ? [focused] : [...nodes];
}

/** The one node that a command is about; null where there are none or several. */
export function target(): string | null {
  const focused = inEditor() ? focusedNode() : null;
  if (focused !== null) return focused;
  const ids = targets();
  return ids.length === 1 ? (ids[0] ?? null) : null;
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
