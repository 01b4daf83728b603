// Groups: named, coloured frames around nodes. A file stores them in `groups`, next to `nodes`, and runs
// ignore them. A group lists its nodes, so that its frame follows them. A node is in at most one group.
import type { FlowDoc } from "../ipc/generated/bindings";
import { type Box, boundsOf, containsPoint, grown } from "../kernels/geometry";
import type { DocumentEdit } from "./document-edit";
import { freeId } from "./ids";

export const GROUP_COLOURS = ["grey", "blue", "green", "amber", "coral", "pink"] as const;
export type GroupColour = (typeof GROUP_COLOURS)[number];

export interface Group {
  id: string;
  title: string;
  colour: GroupColour;
  /** The ids of its nodes. */
  nodes: string[];
  collapsed: boolean;
  /** Fields written by other programs, which are kept. */
  [field: string]: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const read = new WeakMap<object, Group[]>();

/** Reads the groups of a document. Malformed groups are skipped here, but stay in the file. */
export function groupsOf(document: Readonly<Record<string, unknown>>): readonly Group[] {
  const stored = document.groups;
  if (!Array.isArray(stored)) return none;
  const known = read.get(stored);
  if (known) return known;
  const groups = stored.flatMap((value: unknown): Group[] => {
    if (!isRecord(value) || typeof value.id !== "string" || !Array.isArray(value.nodes)) return [];
    const nodes = value.nodes.filter((id): id is string => typeof id === "string");
    const colour = GROUP_COLOURS.find((name) => name === value.colour) ?? "grey";
    const title = typeof value.title === "string" ? value.title : "";
    return [{ ...value, id: value.id, title, colour, nodes, collapsed: value.collapsed === true }];
  });
  read.set(stored, groups);
  return groups;
}

const none: readonly Group[] = [];

const written = (document: FlowDoc, groups: readonly Group[]): FlowDoc => {
  if (groups.length > 0) return { ...document, groups };
  const { groups: _, ...rest } = document;
  return rest as FlowDoc;
};

/** Returns the groups whose nodes are all in a set. */
export const withinGroups = (groups: readonly Group[], ids: ReadonlySet<string>): Group[] =>
  groups.filter((group) => group.nodes.length > 0 && group.nodes.every((id) => ids.has(id)));

export const addGroups =
  (added: readonly Group[]): DocumentEdit =>
  (document) =>
    added.length === 0 ? document : written(document, [...groupsOf(document), ...added]);

/** Returns an edit that adds nodes to a new group and removes them from their previous groups. */
export const groupNodes =
  (ids: readonly string[], title: string, colour: GroupColour = "grey"): DocumentEdit =>
  (document) => {
    const taken = new Set(groupsOf(document).map((group) => group.id));
    const group: Group = { id: freeId(taken, "group"), title, colour, nodes: [...ids], collapsed: false };
    return addGroups([group])(removeFromGroups(new Set(ids))(document));
  };

/** Returns an edit that removes nodes from their groups. A group that becomes empty is deleted. */
export const removeFromGroups =
  (ids: ReadonlySet<string>): DocumentEdit =>
  (document) => {
    const groups = groupsOf(document);
    if (!groups.some((group) => group.nodes.some((id) => ids.has(id)))) return document;
    const left = groups
      .map((group) => ({ ...group, nodes: group.nodes.filter((id) => !ids.has(id)) }))
      .filter((group) => group.nodes.length > 0);
    return written(document, left);
  };

/** The padding between the nodes of a group and its frame, in flow pixels. */
export const FRAME_PAD = 24;

/**
 * Returns an edit that adds nodes dropped in a group's frame to the group. `dropped` contains the new boxes
 * of these nodes; a node is inside a frame if its centre is. `boxes` contains the boxes of all nodes,
 * including those in groups. A group whose nodes were all dropped has moved as a whole, so its nodes join no
 * other group.
 */
export const joinGroups =
  (dropped: ReadonlyMap<string, Box>, boxes: ReadonlyMap<string, Box>): DocumentEdit =>
  (document) => {
    const groups = groupsOf(document);
    const moving = new Set(withinGroups(groups, new Set(dropped.keys())).flatMap((group) => group.nodes));
    const frames = groups
      .filter((group) => !group.collapsed)
      .flatMap((group) => {
        const staying = group.nodes.filter((id) => !dropped.has(id)).flatMap((id) => boxes.get(id) ?? []);
        const bounds = boundsOf(staying);
        return bounds ? [{ group, frame: grown(bounds, FRAME_PAD) }] : [];
      });
    const joining = new Map<string, string[]>();
    for (const [id, box] of dropped) {
      if (moving.has(id)) continue;
      const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
      // Of overlapping frames, the top one takes the node, unless the node is already in one of them.
      const around = frames.filter(({ frame }) => containsPoint(frame, middle));
      const to = around.find(({ group }) => group.nodes.includes(id)) ?? around.at(-1);
      if (!to || to.group.nodes.includes(id)) continue;
      joining.set(to.group.id, [...(joining.get(to.group.id) ?? []), id]);
    }
    if (joining.size === 0) return document;
    const left = removeFromGroups(new Set([...joining.values()].flat()))(document);
    return written(
      left,
      groupsOf(left).map((group) => ({
        ...group,
        nodes: [...group.nodes, ...(joining.get(group.id) ?? [])],
      })),
    );
  };

/** Returns an edit that dissolves a group: it removes the frame and keeps the nodes. */
export const ungroup =
  (id: string): DocumentEdit =>
  (document) =>
    written(
      document,
      groupsOf(document).filter((group) => group.id !== id),
    );

export const changeGroup =
  (id: string, change: Partial<Pick<Group, "title" | "colour" | "collapsed">>): DocumentEdit =>
  (document) =>
    written(
      document,
      groupsOf(document).map((group) => (group.id === id ? { ...group, ...change } : group)),
    );

/** Returns an edit that updates the members of groups after ids of nodes have changed. */
export const renameInGroups =
  (names: ReadonlyMap<string, string>): DocumentEdit =>
  (document) => {
    const groups = groupsOf(document);
    if (!groups.some((group) => group.nodes.some((id) => names.has(id)))) return document;
    return written(
      document,
      groups.map((group) => ({ ...group, nodes: group.nodes.map((id) => names.get(id) ?? id) })),
    );
  };

/** Returns the group that contains a node; undefined if none does. */
export const groupWith = (groups: readonly Group[], node: string): Group | undefined =>
  groups.find((group) => group.nodes.includes(node));
