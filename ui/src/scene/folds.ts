// The folds of the shown flow: folded loops, and groups that are collapsed in the file.
import { type Group, groupsOf } from "../document/groups";
import type { Analysis, FlowDoc, FlowNode, Region } from "../ipc/generated/bindings";
import { type Fold, outermost } from "../kernels/folds";
import { boundsOf, type Point } from "../kernels/geometry";
import { foldKey } from "../session/folds";

export interface SceneFold extends Fold {
  /** The loop that is folded; null if the fold is a group. */
  region: Region | null;
  group: Group | null;
}

const GROUP = "group:";

export const groupNodeId = (group: string): string => GROUP + group;

/**
 * Returns the id of the collapsed group that a drawn node represents; null if the node represents no group.
 */
export const groupOfNode = (id: string): string | null =>
  id.startsWith(GROUP) ? id.slice(GROUP.length) : null;

export function foldsOf(
  document: FlowDoc,
  analysis: Analysis,
  breadcrumbs: readonly string[],
  folded: ReadonlySet<string>,
): { folds: SceneFold[]; hiddenBy: Map<string, string> } {
  const there = new Set(document.nodes.map((node) => node.id));
  const loops = analysis.regions
    .filter((region) => folded.has(foldKey(breadcrumbs, region.start)) && there.has(region.start))
    .map((region): SceneFold => {
      const hidden = [...region.body, ...(region.end === null ? [] : [region.end])];
      const ids = hidden.filter((id) => there.has(id) && id !== region.start);
      return { id: region.start, hidden: ids, region, group: null };
    });
  const groups = groupsOf(document)
    .filter((group) => group.collapsed)
    .map((group): SceneFold => {
      const hidden = group.nodes.filter((id) => there.has(id));
      return { id: groupNodeId(group.id), hidden, region: null, group };
    });
  const all = new Map([...loops, ...groups].map((fold) => [fold.id, fold]));
  const { visible, hiddenBy } = outermost([...all.values()]);
  const folds = visible.flatMap((fold): SceneFold[] => {
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

/** Returns the node drawn for a collapsed group. Its position is the top left corner of the group's nodes. */
export function standIn(fold: SceneFold, nodes: ReadonlyMap<string, FlowNode>): FlowNode {
  const position = cornerOf(fold.hidden.flatMap((id) => nodes.get(id) ?? []));
  return { id: fold.id, type: "", position, data: { label: fold.group?.title ?? "" } };
}
