// Puts a wire into the flow. One that ends at an input with a wire takes its place, where that input takes one value: whether two can
// have a value in one run is the analysis' to say, for the wires may come from branches of which one is taken.
import { useDocument } from "../../document/document";
import type { DocumentEdit } from "../../document/document-edit";
import { combineEdits, connect, removeElements, updateEdge } from "../../document/edits";
import { api } from "../../ipc/client";
import type { FlowDoc, FlowEdge } from "../../ipc/generated/bindings";
import { matchHandle } from "../../kernels/handles";
import { titleIn } from "../../kernels/node-title";
import { handlesNow, useScene } from "../../scene/scene";
import { useSession } from "../../session/session";

/** The analysis says by this code that an input gets two values in one run. */
const SEVERAL_VALUES = "several_values";

/** The one other wire at the input that the wire ends at; null where there is none, or several, or the input takes many. */
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

/** Whether the input would get two values in one run. */
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

/** `label` is for the history. */
export async function putWire(edge: FlowEdge, label: string): Promise<void> {
  const { document, path } = useDocument.getState();
  const isThere = document.edges.some(({ id }) => id === edge.id);
  const put: DocumentEdit = isThere ? updateEdge(edge) : connect(edge);
  const other = wireAtInput(edge);
  // A check that fails leaves the wire beside the other: the analysis that follows says what is wrong.
  const replaces = other !== null && (await clashes(put(document), path, edge).catch(() => false));
  // Meanwhile another flow may be shown, or a node be gone.
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
