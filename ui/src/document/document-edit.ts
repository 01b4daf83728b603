// What every edit of a document is: a document in, a document out.
import type { FlowDoc } from "../ipc/generated/bindings";

export type DocumentEdit = (document: FlowDoc) => FlowDoc;
