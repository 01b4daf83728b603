// The folds of the flow that is shown: loops that are folded now, and groups that the file says are collapsed.
import { useDocument, wayIn } from "../document/document";
import { type Group, groupsOf } from "../document/groups";
import type { Analysis, FlowDoc, FlowNode, Region } from "../ipc/generated/bindings";
import { type Fold, outermost } from "../kernels/folds";
import { boundsOf, type Point } from "../kernels/geometry";
import { foldKey, useFoldedLoops } from "../session/folds";
import { useDrawn } from "./drawn";

export interface DrawnFold extends Fold {
  /** The loop that is folded; null for a group. */
  region: Region | null;
  group: Group | null;
}

const GROUP = "group:";

export const groupNodeId = (group: string): string => GROUP + group;

/** The group that a drawn node stands for. */
export const groupOfNode = (id: string): string | null =>
  id.startsWith(GROUP) ? id.slice(GROUP.length) : null;

export function foldsOf(
  document: FlowDoc,
  analysis: Analysis,
  way: readonly string[],
  folded: ReadonlySet<string>,
): { folds: DrawnFold[]; hiddenBy: Map<string, string> } {
  const there = new Set(document.nodes.map((node) => node.id));
  const loops = analysis.regions
    .filter((region) => folded.has(foldKey(way, region.start)) && there.has(region.start))
    .map((region): DrawnFold => {
      const hidden = [...region.body, ...(region.end === null ? [] : [region.end])];
      const ids = hidden.filter((id) => there.has(id) && id !== region.start);
      return { id: region.start, hidden: ids, region, group: null };
    });
  const groups = groupsOf(document)
    .filter((group) => group.collapsed)
    .map((group): DrawnFold => {
      const hidden = group.nodes.filter((id) => there.has(id));
      return { id: groupNodeId(group.id), hidden, region: null, group };
    });
  const all = new Map([...loops, ...groups].map((fold) => [fold.id, fold]));
  const { drawn, hiddenBy } = outermost([...all.values()]);
  const folds = drawn.flatMap((fold): DrawnFold[] => {
    const whole = all.get(fold.id);
    return whole ? [{ ...whole, hidden: fold.hidden }] : [];
  });
  return { folds, hiddenBy };
}

const cornerOf = (nodes: readonly FlowNode[]): Point => {
  const points = nodes.map(({ position: { x, y } }) => ({ left: x, top: y, right: x, bottom: y }));
  const all = boundsOf(points);
  return { x: all?.left ?? 0, y: all?.top ?? 0 };
};

/** Where the node that stands in for a collapsed group is drawn: at the corner of its nodes. */
export function standIn(fold: DrawnFold, nodes: ReadonlyMap<string, FlowNode>): FlowNode {
  const position = cornerOf(fold.hidden.flatMap((id) => nodes.get(id) ?? []));
  return { id: fold.id, type: "", position, data: { label: fold.group?.title ?? "" } };
}

/** The places of nodes after some that are drawn were moved: what is folded into one moves along. */
export function withFolded(places: ReadonlyMap<string, Point>): Map<string, Point> {
  const { document } = useDocument.getState();
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const moved = new Map<string, Point>();
  for (const [id, to] of places) {
    if (nodes.has(id)) moved.set(id, to);
    const fold = useDrawn.getState().folds.find((one) => one.id === id);
    if (!fold) continue;
    const from = nodes.get(id)?.position ?? standIn(fold, nodes).position;
    for (const hidden of fold.hidden) {
      const at = nodes.get(hidden)?.position;
      if (at) moved.set(hidden, { x: at.x + to.x - from.x, y: at.y + to.y - from.y });
    }
  }
  return moved;
}

/** The nodes that are meant by what is drawn: a fold means all that it holds. */
export function withHidden(ids: readonly string[]): string[] {
  const { folds } = useDrawn.getState();
  return [...new Set(ids.flatMap((id) => [id, ...(folds.find((fold) => fold.id === id)?.hidden ?? [])]))];
}

/** Folds lie within folds no deeper than this. */
const DEEPEST = 16;

/** The nodes that a drawn one stands for: itself, or all of a folded group. */
export const meantBy = (id: string): readonly string[] =>
  groupOfNode(id) === null ? [id] : withHidden([id]).filter((one) => one !== id);

/**
 * Unfolds the loops that nodes are hidden in. A folded group stays one, which is written in the file: what is drawn in the
 * nodes' place is given.
 */
export function unfoldAround(ids: readonly string[]): string[] {
  const drawn = () => ids.map((id) => useDrawn.getState().hiddenBy.get(id) ?? id);
  for (let depth = 0; depth < DEEPEST; depth++) {
    const loops = new Set(drawn().filter((id, i) => id !== ids[i] && groupOfNode(id) === null));
    if (loops.size === 0) break;
    for (const start of loops) useFoldedLoops.getState().toggle(wayKey(start));
  }
  return [...new Set(drawn())];
}

/** Whether a loop is folded in the flow that is shown. */
export const wayKey = (start: string): string => foldKey(wayIn(useDocument.getState()), start);
