// Renames a node: its title and its id, as one undo entry. Rust updates references to the id.
import { api, errorMessage } from "../ipc/client";
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { plural } from "../runs/words/format";
import { useSession } from "../session/session";
import { useDocument } from "./document";
import { combineEdits, freeId, renameNodes, setData } from "./edits";

/** Returns the reason an id is not allowed, as far as the page can check it; null if there is none. */
export function idProblem(document: FlowDoc, old: string, id: string): string | null {
  if (id.trim() === "") return "Enter an id: templates refer to the node by it.";
  if (id !== old && document.nodes.some((node) => node.id === id)) return `Another node has the id “${id}”.`;
  return null;
}

/** Returns an id derived from the title if the current id was derived that way, otherwise the current id. */
export function idFor(document: FlowDoc, node: FlowNode, title: string): string {
  const taken = new Set(document.nodes.map(({ id }) => id));
  taken.delete(node.id);
  const stem = (text: string) => freeId(new Set(), text.trim().toLowerCase());
  const label = typeof node.data.label === "string" ? node.data.label : "";
  const plain = node.id.replace(/_\d+$/, "");
  const isMade = plain === node.type || plain === stem(label) || node.id === stem(label);
  return isMade && title.trim() !== "" ? freeId(taken, stem(title)) : node.id;
}

/** Changes a node's title and id. Returns an error message, or null on success. */
export async function renameNode(old: string, title: string, id: string): Promise<string | null> {
  const before = useDocument.getState();
  const problem = idProblem(before.document, old, id);
  if (problem !== null) return problem;
  const to = title.trim() || id;
  const editLabel = to === old ? "Rename" : `Rename to “${to}”`;
  const label = setData(old, "label", title.trim() === "" ? undefined : title.trim());
  if (id === old) {
    before.edit(label, { label: editLabel, select: [old] });
    return null;
  }
  try {
    const names = { [old]: id };
    const labelled = label(before.document);
    const { data, places, unread } = await api().renameNodes(labelled, names);
    const now = useDocument.getState();
    if (now.document !== before.document) return "The workflow changed in the meantime. Try again.";
    now.edit(combineEdits(label, renameNodes(new Map([[old, id]]), data)), {
      label: editLabel,
      select: [id],
    });
    report(old, id, places, unread.length);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

function report(old: string, id: string, places: number, unread: number): void {
  const { toast } = useSession.getState();
  if (unread > 0) {
    const detail = `${plural(unread, "field")} could not be read and may still contain “${old}”. Correct the mistakes there.`;
    toast({ tone: "warn", title: `Renamed to “${id}”, but not everywhere`, detail });
  } else if (places > 0)
    toast({ tone: "ok", title: `Renamed to “${id}”; ${plural(places, "reference")} updated` });
}
