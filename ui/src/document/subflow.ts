// Moves a subflow's flow between its node and a file next to the workflow's own. Each move is one undo entry.
import { ApiFailure, api, errorMessage } from "../ipc/client";
import type { FlowDoc, FlowNode, Json } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import { useDocument } from "./document";
import type { DocumentEdit } from "./document-edit";
import { setData } from "./edits";
import { suggestedName } from "./files";
import { FLOW, heldFlow, REF, refOf } from "./inside";

/**
 * The field that names the file an inline flow was copied from. It is removed when the flow is replaced or
 * moved.
 */
const FROM = "from";

const nodeOf = (id: string) => useDocument.getState().document.nodes.find((node) => node.id === id);

/** Returns an edit that sets several fields of a node's data at once. */
const setFields =
  (id: string, fields: Readonly<Record<string, Json | undefined>>): DocumentEdit =>
  (document) =>
    Object.entries(fields).reduce((doc, [field, value]) => setData(id, field, value)(doc), document);

function complain(title: string, error: unknown): false {
  useSession.getState().toast({ tone: "error", title, detail: errorMessage(error) });
  return false;
}

const NOT_SAVED = new ApiFailure({
  code: "invalid_argument",
  message: "This workflow has no file yet, so there is no folder for a subflow's file. Save it first.",
});

const withoutRequired = (node: FlowNode): FlowNode => {
  const { required: _, ...data } = node.data;
  return { ...node, data };
};

/** Gives a node an initial inline flow. If the flow cannot be created, shows a message and returns false. */
export async function beginInline(id: string): Promise<boolean> {
  try {
    const { viewport: _, ...whole } = await api().newFlow();
    // A subflow gets its inputs through wires, so the user does not have to enter them.
    const flow = { ...whole, nodes: whole.nodes.map(withoutRequired) };
    const label = nodeOf(id)?.data.label;
    const named: FlowDoc = typeof label === "string" && label !== "" ? { ...flow, name: label } : flow;
    useDocument.getState().edit(setFields(id, { [FLOW]: named, [REF]: undefined, [FROM]: undefined }), {
      label: "Create a subflow",
    });
    return true;
  } catch (error) {
    return complain("The subflow could not be created", error);
  }
}

/**
 * Lets the user choose the file that a node refers to. The node's inline flow is removed; undo restores it.
 * Returns false if the user cancels or the file cannot be used.
 */
export async function chooseFile(id: string): Promise<boolean> {
  try {
    const { path } = useDocument.getState();
    if (path === null) throw NOT_SAVED;
    const file = await api().pickOpen();
    if (file === null) return false;
    const reference = await api().subflowReference(path, file);
    useDocument.getState().edit(setFields(id, { [REF]: reference, [FLOW]: undefined, [FROM]: undefined }), {
      label: "Choose the subflow's file",
    });
    return true;
  } catch (error) {
    return complain("The file cannot be used as a subflow", error);
  }
}

/**
 * Writes a node's inline flow to a new file next to the workflow, and makes the node refer to it. Returns
 * false if the user cancels or the file cannot be written.
 */
export async function saveToFile(id: string): Promise<boolean> {
  try {
    const { path } = useDocument.getState();
    const flow = heldFlow(nodeOf(id));
    if (flow === null) return false;
    if (path === null) throw NOT_SAVED;
    const label = nodeOf(id)?.data.label;
    const file = await api().pickSave(suggestedName({ ...flow, name: flow.name ?? String(label ?? "") }));
    if (file === null) return false;
    const reference = await api().subflowReference(path, file);
    await api().saveSubflow(path, reference, flow);
    useDocument.getState().edit(setFields(id, { [REF]: reference, [FLOW]: undefined, [FROM]: undefined }), {
      label: "Move the subflow to a file",
    });
    useSession.getState().toast({ tone: "ok", title: `Saved as “${reference}”, next to this workflow` });
    return true;
  } catch (error) {
    return complain("The subflow was not saved to a file. It is still in its node.", error);
  }
}

/**
 * Copies the flow of the file that a node refers to into the node. The file is unchanged. Returns false if
 * the node refers to no file or the file cannot be read.
 */
export async function takeIn(id: string): Promise<boolean> {
  try {
    const { path } = useDocument.getState();
    const reference = refOf(nodeOf(id));
    if (reference === null) return false;
    if (path === null) throw NOT_SAVED;
    const { document } = await api().inlineSubflow(path, reference);
    useDocument.getState().edit(setFields(id, { [FLOW]: document, [REF]: undefined }), {
      label: "Copy the subflow into the node",
    });
    return true;
  } catch (error) {
    return complain("The file was not copied into the node", error);
  }
}
