// Selects by keyboard: toggles the focused node, and moves from node to node along the wires.
import { useDocument } from "../document/document";
import type { FlowDoc } from "../ipc/generated/bindings";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { focusedNode, inEditor, target, targets } from "./selection";

export const toggleSelectedCommand: Command = {
  id: "select.toggle",
  label: "Add to or remove from selection",
  keys: ["s"],
  scope: "canvas",
  possible: () => inEditor() && focusedNode() !== null,
  run: () => {
    const id = focusedNode();
    if (id === null) return;
    const { selection, select } = useSession.getState();
    const nodes = new Set(selection.nodes);
    if (!nodes.delete(id)) nodes.add(id);
    select(nodes, selection.edges);
  },
};

/** Returns the ids of the nodes at the other ends of a node's wires, in document order. */
export function neighbours(document: FlowDoc, id: string, forwards: boolean): string[] {
  const ids = document.edges.flatMap((edge) => {
    const [here, there] = forwards ? [edge.source, edge.target] : [edge.target, edge.source];
    return here === id ? [there] : [];
  });
  return [...new Set(ids)].filter((other) => other !== id);
}

/** The node from which the last move started. Moving from it again goes to its next neighbour. */
let walked: { from: string; forwards: boolean; taken: number } | null = null;

function step(forwards: boolean): void {
  const from = target();
  if (from === null) return;
  const ids = neighbours(useDocument.getState().document, from, forwards);
  const again = walked?.from === from && walked.forwards === forwards;
  const taken = again && walked ? (walked.taken + 1) % Math.max(1, ids.length) : 0;
  walked = { from, forwards, taken };
  const to = ids[taken];
  if (to === undefined) return;
  useSession.getState().select([to]);
  canvasView()?.focus(to);
}

function spread(forwards: boolean): void {
  const { document } = useDocument.getState();
  const chosen = new Set(targets());
  for (const id of targets()) for (const other of neighbours(document, id, forwards)) chosen.add(other);
  useSession.getState().select(chosen);
}

const walk = (id: string, label: string, key: string, run: () => void): Command => ({
  id,
  label,
  keys: [key],
  scope: "canvas",
  possible: () => targets().length > 0,
  run,
});

export const walkCommands: readonly Command[] = [
  toggleSelectedCommand,
  walk("select.next", "Follow the wire forward", "alt+arrowright", () => step(true)),
  walk("select.previous", "Follow the wire back", "alt+arrowleft", () => step(false)),
  walk("select.addNext", "Add downstream nodes to the selection", "alt+shift+arrowright", () => spread(true)),
  walk("select.addPrevious", "Add upstream nodes to the selection", "alt+shift+arrowleft", () =>
    spread(false),
  ),
];
