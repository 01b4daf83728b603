// Pins a node's value, and removes the pin. With a pin, the nodes after a costly one can be built and run at
// no cost.
import { useDocument } from "../document/document";
import { isGivable, useKinds } from "../document/kinds";
import { errorMessage } from "../ipc/client";
import { canPin, fileInHand, pinsOf, usePins } from "../runs/inputs/pins";
import { useRuns } from "../runs/session/store";
import { runHere } from "../runs/view/level";
import { loadStep } from "../runs/view/step-detail";
import { shownStep } from "../runs/view/view";
import { useChosenIteration } from "../session/chosen-iteration";
import { useSession } from "../session/session";
import type { Command } from "./command";

/** Returns the id of the only selected node if its kind has a result that can be pinned; null otherwise. */
function pinnable(): string | null {
  const { view, selection } = useSession.getState();
  const [id] = selection.nodes;
  if (view !== "editor" || selection.nodes.size !== 1 || id === undefined || !canPin()) return null;
  const type = useDocument.getState().document.nodes.find((n) => n.id === id)?.type ?? "";
  const kind = useKinds.getState().byType.get(type);
  return kind !== undefined && isGivable(kind) && kind.shape !== "output" ? id : null;
}

export const isPinned = (nodeId: string): boolean => {
  return nodeId in pinsOf(useDocument.getState());
};

/** Returns the value of a node in the shown run; undefined if it has none. */
async function shownValue(nodeId: string): Promise<unknown> {
  const view = runHere(useRuns.getState());
  const step = view && shownStep(view.state, useChosenIteration.getState().chosen, nodeId);
  if (!view || step?.status !== "completed") return undefined;
  return (await loadStep(view.state.runId, step.path, step.status)).output;
}

async function pin(nodeId: string): Promise<void> {
  const { toast } = useSession.getState();
  try {
    const value = await shownValue(nodeId);
    if (value === undefined) {
      usePins.getState().edit({ nodeId, value: "" });
      return;
    }
    usePins.getState().set(fileInHand(), nodeId, value);
  } catch (error) {
    toast({ tone: "error", title: "The value was not pinned", detail: errorMessage(error) });
  }
}

export const pinCommand: Command = {
  id: "node.pin",
  label: "Pin or unpin the output",
  icon: "pin",
  keys: ["shift+p"],
  scope: "canvas",
  possible: () => pinnable() !== null,
  run: () => {
    const id = pinnable();
    if (id === null) return;
    if (isPinned(id)) usePins.getState().remove(fileInHand(), id);
    else return pin(id);
  },
};

export const editPinCommand: Command = {
  id: "node.editPin",
  label: "Edit the pinned value…",
  icon: "pencil",
  scope: "window",
  possible: () => {
    const id = pinnable();
    return id !== null && isPinned(id);
  },
  run: () => {
    const id = pinnable();
    if (id !== null) usePins.getState().edit({ nodeId: id, value: pinsOf(useDocument.getState())[id] });
  },
};
