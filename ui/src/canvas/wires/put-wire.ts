// Adds a wire to the flow. At an input that takes one value, the new wire replaces the existing one if both
// could carry a value in the same run. If they come from branches of which only one is taken, both stay. The
// analysis decides this.
import { useDocument } from "../../document/document";
import type { DocumentEdit } from "../../document/document-edit";
import { combineEdits, connect, removeElements, updateEdge } from "../../document/edits";
import { api } from "../../ipc/client";
import type { FlowDoc, FlowEdge } from "../../ipc/generated/bindings";
import { matchHandle } from "../../kernels/handles";
import { titleIn } from "../../kernels/node-title";
import { handlesNow, useScene } from "../../scene/scene";
import { useSession } from "../../session/session";

/** The analysis code for an input that gets two values in one run. */
const SEVERAL_VALUES = "several_values";

/**
 * Returns the only other wire at the input of this wire; null if there is none, if there are several, or if
 * the input takes many values.
 */
export function wireAtInput(edge: FlowEdge): FlowEdge | null {
  const { inputs } = handlesNow(edge.target);
  const input = matchHandle(edge.targetHandle, inputs);
  if (!input || inputs.find(({ name }) => name === input.name)?.many) return null;
  const others = useScene
    .getState()
    .allWires.filter(
      (wire) =>
        wire.edge.id !== edge.id && wire.edge.target === edge.target && wire.targetHandle === input.name,
    );
  return others.length === 1 ? (others[0]?.edge ?? null) : null;
}

/** Returns whether the input would get two values in one run. */
async function clashes(document: FlowDoc, path: string | null, edge: FlowEdge): Promise<boolean> {
  const { problems } = await api().analyze(document, path);
  const input = matchHandle(edge.targetHandle, handlesNow(edge.target).inputs)?.name;
  return problems.some(
    ({ code, node, place }) => code === SEVERAL_VALUES && node === edge.target && place === input,
  );
}

function sayReplaced(document: FlowDoc, edge: FlowEdge): void {
  const { toast } = useSession.getState();
  toast({
    title: `Replaced the wire from “${titleIn(document, edge.source)}”.`,
    actions: [{ label: "Undo", run: () => void useDocument.getState().undo() }],
  });
}

/**
 * Adds a wire. Replaces the wire already at its input if the input would otherwise get two values in one run.
 * `label` names the undo entry, unless a wire is replaced. Does nothing if another flow is shown, or a node
 * is gone, by the time the analysis has answered.
 */
export async function putWire(edge: FlowEdge, label: string): Promise<void> {
  const { document, path } = useDocument.getState();
  const isThere = document.edges.some(({ id }) => id === edge.id);
  const put: DocumentEdit = isThere ? updateEdge(edge) : connect(edge);
  const other = wireAtInput(edge);
  // If the check fails, the wire is added and the existing one stays. The next analysis reports the problem.
  const replaces = other !== null && (await clashes(put(document), path, edge).catch(() => false));
  // By now, another flow may be shown, or a node may be gone.
  const now = useDocument.getState();
  const has = (id: string) => now.document.nodes.some((node) => node.id === id);
  if (now.path !== path || !has(edge.source) || !has(edge.target)) return;
  if (!replaces) {
    now.edit(put, { label });
    return;
  }
  now.edit(combineEdits(removeElements(new Set(), new Set([other.id])), put), { label: "Replace wire" });
  sayReplaced(now.document, other);
}
