// The type of every edit: a function from a document to a document.
import type { FlowDoc } from "../ipc/generated/bindings";

export type DocumentEdit = (document: FlowDoc) => FlowDoc;
