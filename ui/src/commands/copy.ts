// Copy and paste nodes through the system clipboard, as the JSON of a small flow.
import { useDocument } from "../document/document";
import { addNodes, copyElements } from "../document/edits";
import type { FlowEdge, FlowNode } from "../ipc/generated/bindings";
import { GRID } from "../kernels/geometry";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { inEditor, selectedElements } from "./selection";

/** Also kept here: a window may not be allowed to read the clipboard. */
let copied = "";

export const copyCommand: Command = {
  id: "edit.copy",
  label: "Copy",
  icon: "copy",
  keys: ["mod+c"],
  scope: "canvas",
  possible: () => selectedElements().nodes.length > 0,
  run: async () => {
    copied = JSON.stringify(selectedElements());
    try {
      await navigator.clipboard.writeText(copied);
    } catch {
      // Not allowed here: pasting within this window still works from the copy above.
    }
  },
};

function parse(text: string): { nodes: FlowNode[]; edges: FlowEdge[] } | null {
  try {
    const value = JSON.parse(text) as { nodes?: FlowNode[]; edges?: FlowEdge[] };
    const nodes = value.nodes?.filter(
      (n) => typeof n?.id === "string" && typeof n?.type === "string" && n.position,
    );
    if (!nodes || nodes.length === 0) return null;
    return { nodes: nodes.map((n) => ({ ...n, data: n.data ?? {} })), edges: value.edges ?? [] };
  } catch {
    return null;
  }
}

async function clipboardText(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return copied;
  }
}

export const pasteCommand: Command = {
  id: "edit.paste",
  label: "Paste",
  keys: ["mod+v"],
  scope: "canvas",
  possible: inEditor,
  run: async () => {
    const source = parse(await clipboardText()) ?? parse(copied);
    if (!source) return;
    const { document, edit } = useDocument.getState();
    const copies = copyElements(document, source, { x: 2 * GRID, y: 2 * GRID });
    edit(addNodes(copies.nodes, copies.edges), { label: "Paste" });
    useSession.getState().select(copies.nodes.map((node) => node.id));
  },
};
