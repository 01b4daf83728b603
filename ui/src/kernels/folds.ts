// Folding draws several nodes as one. This module computes which nodes are hidden, and where the wires that
// cross a fold's border end. Pure: it works on ids only.

export interface Fold {
  /**
   * The id of the node drawn for the fold: one of the flow's own nodes, or a node that represents all folded
   * nodes.
   */
  id: string;
  /** The hidden nodes. */
  hidden: readonly string[];
}

/** Separates the folded node from its handle in the id of a drawn handle. */
const SEPARATOR = "\u001f";

export const foldedHandle = (node: string, handle: string): string => `${node}${SEPARATOR}${handle}`;

/** Returns the real node and handle of a drawn handle. */
export function realHandle(node: string, handle: string): { node: string; handle: string } {
  const at = handle.indexOf(SEPARATOR);
  return at < 0 ? { node, handle } : { node: handle.slice(0, at), handle: handle.slice(at + 1) };
}

/**
 * Returns the drawn folds, and for each hidden node the fold that hides it. A fold inside another one is not
 * drawn.
 */
export function outermost(folds: readonly Fold[]): { visible: Fold[]; hiddenBy: Map<string, string> } {
  const hiddenBy = new Map<string, string>();
  const visible: Fold[] = [];
  const largest = [...folds].sort((a, b) => b.hidden.length - a.hidden.length);
  for (const fold of largest) {
    if (hiddenBy.has(fold.id)) continue;
    // A node that another fold already hides stays hidden by that fold.
    const hidden = fold.hidden.filter((id) => !hiddenBy.has(id));
    if (hidden.length === 0) continue;
    for (const id of hidden) hiddenBy.set(id, fold.id);
    visible.push({ ...fold, hidden });
  }
  return { visible, hiddenBy };
}

export interface Ends {
  source: string;
  sourceHandle: string;
  target: string;
  targetHandle: string;
}

/** Returns the ends between which a wire is drawn; null if both are hidden by the same fold. */
export function visibleEnds(ends: Ends, hiddenBy: ReadonlyMap<string, string>): Ends | null {
  const source = hiddenBy.get(ends.source);
  const target = hiddenBy.get(ends.target);
  if (source === undefined && target === undefined) return ends;
  const visible: Ends = {
    source: source ?? ends.source,
    sourceHandle: source === undefined ? ends.sourceHandle : foldedHandle(ends.source, ends.sourceHandle),
    target: target ?? ends.target,
    targetHandle: target === undefined ? ends.targetHandle : foldedHandle(ends.target, ends.targetHandle),
  };
  return visible.source === visible.target ? null : visible;
}
