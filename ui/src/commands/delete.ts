// Remove the selected nodes and wires.

import { useDocument } from "../document/document";
import { removeElements } from "../document/edits";
import { withHidden } from "../drawn/folds";
import { titleOf } from "../kernels/node-title";
import { plural } from "../runs/format";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canEdit, focusedNode, hasSelection, targets } from "./selection";
import { neighbours } from "./walk";

/** Whoever deletes by keyboard goes on at the node before, else at the one behind; whoever points, on the canvas. */
function focusAfter(gone: ReadonlySet<string>): string | null {
  const focused = focusedNode();
  if (focused === null || !document.activeElement?.matches(":focus-visible")) return null;
  const flow = useDocument.getState().document;
  const near = [...neighbours(flow, focused, false), ...neighbours(flow, focused, true)];
  return near.find((id) => !gone.has(id)) ?? null;
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
    canvasView()?.focus(focusAfter(nodes));
    edit(removeElements(nodes, selection.edges), { label: `Delete ${what.join(" and ")}`, select: [] });
    if (gone.length === 0) return;
    const id = toast({
      tone: "ok",
      title: `Deleted ${what.join(" and ")}.`,
      actions: [
        {
          label: "Undo",
          run: () => void useDocument.getState().undo(),
        },
      ],
    });
    // The offer stands only as long as this is what an undo would take back.
    const stop = useDocument.subscribe((state, before) => {
      if (state.history === before.history) return;
      stop();
      dismiss(id);
    });
  },
};
