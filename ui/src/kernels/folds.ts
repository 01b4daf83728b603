// Folding: several nodes drawn as one. Which nodes are hidden, and where the wires that cross the border of a fold end.
// Pure: it knows ids, not what they stand for.

export interface Fold {
  /** The node that is drawn: one of the flow's own, which stays, or one that stands in for all. */
  id: string;
  /** The nodes that are not drawn. */
  hidden: readonly string[];
}

/** A handle of a folded node, at the node that is drawn for it. */
const SEPARATOR = "\u001f";

export const foldedHandle = (node: string, handle: string): string => `${node}${SEPARATOR}${handle}`;

/** The node and handle that a handle as drawn stands for. */
export function realHandle(node: string, handle: string): { node: string; handle: string } {
  const at = handle.indexOf(SEPARATOR);
  return at < 0 ? { node, handle } : { node: handle.slice(0, at), handle: handle.slice(at + 1) };
}

/** Which folds are drawn, and of each hidden node the one that it is in: a fold within another is not drawn. */
export function outermost(folds: readonly Fold[]): { visible: Fold[]; hiddenBy: Map<string, string> } {
  const hiddenBy = new Map<string, string>();
  const visible: Fold[] = [];
  const largest = [...folds].sort((a, b) => b.hidden.length - a.hidden.length);
  for (const fold of largest) {
    if (hiddenBy.has(fold.id)) continue;
    // What another fold hides already stays there.
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

/** The ends of a wire as it is drawn; null where it lies within a fold. */
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
