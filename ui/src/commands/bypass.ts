// Bypasses nodes, or ends their bypass. A bypassed node passes its input through. The kind's schema says
// whether a node can be bypassed.
import { useDocument } from "../document/document";
import { combineEdits, setData } from "../document/edits";
import { useKinds } from "../document/kinds";
import type { FlowNode } from "../ipc/generated/bindings";
import { plural } from "../runs/words/format";
import { useSession } from "../session/session";
import type { Command } from "./command";
import { canEdit, targets } from "./selection";

const FIELD = "disabled";

export const isBypassed = (node: Pick<FlowNode, "data">): boolean => node.data[FIELD] === true;

/** Returns the target nodes of the command that can be bypassed or are already bypassed. */
function able(): FlowNode[] {
  const ids = new Set(targets());
  const { byType } = useKinds.getState();
  return useDocument.getState().document.nodes.filter((node) => {
    const schema = byType.get(node.type)?.schema as { properties?: object } | undefined;
    return ids.has(node.id) && (isBypassed(node) || FIELD in (schema?.properties ?? {}));
  });
}

export const bypassCommand: Command = {
  id: "node.bypass",
  label: "Bypass on/off",
  icon: "circle-slash-2",
  keys: ["b"],
  scope: "canvas",
  possible: () => canEdit() && targets().length > 0,
  run: () => {
    const nodes = able();
    const left = targets().length - nodes.length;
    const bypass = nodes.some((node) => !isBypassed(node));
    const what = plural(nodes.length, "node");
    useDocument
      .getState()
      .edit(combineEdits(...nodes.map((node) => setData(node.id, FIELD, bypass || undefined))), {
        label: bypass ? `Bypass ${what}` : `Stop bypassing ${what}`,
      });
    if (left === 0) return;
    const title =
      nodes.length === 0 ? "The selection cannot be bypassed" : `${plural(left, "node")} cannot be bypassed`;
    const detail =
      "Inputs, ends of loops and lists, and nodes that choose a branch cannot pass a value through.";
    useSession.getState().toast({ title, detail });
  },
};
