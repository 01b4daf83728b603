// Removes the selected nodes and wires, and connects the nodes before and after a removed one.

import { useDocument } from "../document/document";
import { addNodes, combineEdits, removeElements } from "../document/edits";
import type { FlowDoc, FlowEdge } from "../ipc/generated/bindings";
import { titleIn, titleOf } from "../kernels/node-title";
import { plural } from "../runs/words/format";
import { bridgeOver } from "../scene/bridge";
import { withHidden } from "../scene/hidden-nodes";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canEdit, focusedNode, hasSelection, targets } from "./selection";
import { neighbours } from "./walk";

/**
 * Returns the id of the node to focus after a deletion by keyboard: a remaining predecessor of the focused
 * node, otherwise a successor. Returns null if there is no such node, or if the pointer was used; the canvas
 * is then focused.
 */
function focusAfter(gone: ReadonlySet<string>): string | null {
  const focused = focusedNode();
  if (focused === null || !document.activeElement?.matches(":focus-visible")) return null;
  const flow = useDocument.getState().document;
  const near = [...neighbours(flow, focused, false), ...neighbours(flow, focused, true)];
  return near.find((id) => !gone.has(id)) ?? null;
}

/** Describes new wires: "joined “Draft” to “Critic”". */
function joinedWords(flow: FlowDoc, [first, ...more]: readonly FlowEdge[]): string {
  if (!first) return "";
  const targets = more.length > 0 ? plural(more.length + 1, "node") : `“${titleIn(flow, first.target)}”`;
  return `, and joined “${titleIn(flow, first.source)}” to ${targets}`;
}

export const deleteCommand: Command = {
  id: "edit.delete",
  label: "Delete",
  icon: "trash-2",
  keys: ["delete", "backspace"],
  scope: "canvas",
  possible: () => canEdit() && (hasSelection() || focusedNode() !== null),
  run: () => {
    const { selection, toast, dismiss } = useSession.getState();
    const { document: flow, edit } = useDocument.getState();
    const nodes = new Set(withHidden(selection.edges.size > 0 ? [...selection.nodes] : targets()));
    const gone = flow.nodes.filter((node) => nodes.has(node.id));
    const wires = flow.edges.filter(
      (edge) => selection.edges.has(edge.id) || nodes.has(edge.source) || nodes.has(edge.target),
    ).length;
    const [first] = gone;
    const only = first && gone.length === 1 ? `“${titleOf(first)}”` : null;
    const what = [
      gone.length > 0 ? (only ?? plural(gone.length, "node")) : null,
      wires > 0 ? plural(wires, "wire") : null,
    ].filter(Boolean);
    // If wires are selected too, the user has decided which ones to remove.
    const bridges = selection.edges.size > 0 ? [] : bridgeOver(nodes);
    canvasView()?.focus(focusAfter(nodes));
    edit(combineEdits(removeElements(nodes, selection.edges), addNodes([], bridges)), {
      label: `Delete ${what.join(" and ")}`,
      select: [],
    });
    if (gone.length === 0) return;
    const id = toast({
      tone: "ok",
      title: `Deleted ${what.join(" and ")}${joinedWords(flow, bridges)}.`,
      actions: [
        {
          label: "Undo",
          run: () => void useDocument.getState().undo(),
        },
      ],
    });
    // The toast's offer to undo disappears as soon as an undo would revert something else.
    const stop = useDocument.subscribe((state, before) => {
      if (state.history === before.history) return;
      stop();
      dismiss(id);
    });
  },
};
