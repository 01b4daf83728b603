// Creates a group around the selected nodes, which is a frame with a title and a colour, and dissolves one.
import { useDocument } from "../document/document";
import {
  changeGroup,
  GROUP_COLOURS,
  type Group,
  groupNodes,
  groupsOf,
  groupWith,
  removeFromGroups,
  ungroup,
} from "../document/groups";
import { useCanvasPanels } from "../session/canvas-panels";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

const groups = () => groupsOf(useDocument.getState().document);

/**
 * Returns the group of the first node that a command applies to; undefined if the node is in no group or the
 * flow is read-only.
 */
export function targetGroup(): Group | undefined {
  const [first] = targets();
  return canEdit() && first !== undefined ? groupWith(groups(), first) : undefined;
}

export const setFolded = (id: string, collapsed: boolean): void =>
  useDocument
    .getState()
    .edit(changeGroup(id, { collapsed }), { label: collapsed ? "Fold group" : "Unfold group" });

export const titleGroup = (id: string, title: string): void => {
  const group = groups().find((one) => one.id === id);
  if (group && group.title !== title)
    useDocument.getState().edit(changeGroup(id, { title }), { label: "Rename group" });
};

/** Edits the title of a group on its frame. A collapsed group has no frame, so it is expanded first. */
export function titleGroupOnCanvas(group: Group): void {
  if (group.collapsed) setFolded(group.id, false);
  useCanvasPanels.getState().rename(`group:${group.id}`);
}

export const makeGroupCommand: Command = {
  id: "group.make",
  label: "Group",
  icon: "frame",
  keys: ["mod+g"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 0,
  run: () => {
    const ids = targets();
    const { edit } = useDocument.getState();
    edit(groupNodes(ids, `Group ${groups().length + 1}`, "blue"), { label: "Group" });
    const made = groups().at(-1);
    if (made) useCanvasPanels.getState().rename(`group:${made.id}`);
  },
};

const onGroup = (
  id: string,
  label: string,
  rest: Partial<Command>,
  run: (group: Group) => void,
): Command => ({
  id,
  label,
  scope: "canvas",
  possible: () => targetGroup() !== undefined,
  run: () => {
    const group = targetGroup();
    if (group) run(group);
  },
  ...rest,
});

export const groupCommands: readonly Command[] = [
  makeGroupCommand,
  onGroup("group.dissolve", "Ungroup", { icon: "ungroup", keys: ["mod+shift+g"] }, (group) =>
    useDocument.getState().edit(ungroup(group.id), { label: "Ungroup" }),
  ),
  onGroup("group.rename", "Rename the group…", { icon: "pencil" }, titleGroupOnCanvas),
  onGroup("group.colour", "Next color of the group", {}, (group) => {
    const next = GROUP_COLOURS[(GROUP_COLOURS.indexOf(group.colour) + 1) % GROUP_COLOURS.length];
    useDocument
      .getState()
      .edit(changeGroup(group.id, { colour: next }), { label: "Color group", mark: `colour:${group.id}` });
  }),
  onGroup("group.leave", "Remove from the group", {}, () =>
    useDocument.getState().edit(removeFromGroups(new Set(targets())), { label: "Remove from the group" }),
  ),
];
