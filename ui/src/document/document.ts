// The flow being edited: one document, its history, its file. Components read it through `useDocument`; every
// change goes through `edit`, with an edit function from edits.ts.
//
// One entry of the undo history is one user action: give edits that belong together the same `mark`
// (`data:<node>.<field>` while typing), and they join while they follow each other within a second.
import { create } from "zustand";
import type { FlowDoc, FlowNode, OpenedFlow } from "../ipc/generated/bindings";
import { type DocumentEdit, setData } from "./edits";
import { emptyHistory, type History, record, redo, stateOf, undo } from "./history";

export interface EditOptions {
  label: string;
  mark?: string;
}

/** What there is of the document in hand while it is put behind. */
type Editing = Pick<DocumentState, "document" | "path" | "version" | "savedAt" | "history" | "savedState">;

interface DocumentState {
  document: FlowDoc;
  /** Null until the flow has a file. */
  path: string | null;
  /** The file's content hash when it was read or written last. */
  version: string | null;
  /** Milliseconds since the epoch; null if not saved in this session. */
  savedAt: number | null;
  history: History;
  savedState: number;
  /** Grows with every document that takes the place of another: open, new, template. */
  generation: number;
  /** The document in hand while another one is only looked at: a past run's. Null while editing. */
  behind: Editing | null;
  edit(change: DocumentEdit, options: EditOptions): void;
  undo(): string | null;
  redo(): string | null;
  /** Takes the place of the document, with an empty history. */
  open(opened: Pick<OpenedFlow, "document"> & { path: string | null; version: string | null }): void;
  /** Shows a document that cannot be edited; the one in hand waits behind it, with its history. */
  showReadOnly(document: FlowDoc): void;
  backToEditing(): void;
  markSaved(saved: { path: string; version: string; state: number; at: number }): void;
}

const blank: FlowDoc = { schemaVersion: 1, name: "Untitled", nodes: [], edges: [] };

export const useDocument = create<DocumentState>()((set, get) => ({
  document: blank,
  path: null,
  version: null,
  savedAt: null,
  history: emptyHistory(),
  savedState: 0,
  generation: 0,
  behind: null,
  edit: (change, options) => {
    const { document, history, behind } = get();
    if (behind !== null) return;
    const next = change(document);
    if (next === document) return;
    const recorded = record(history, document, next, { ...options, at: Date.now() });
    if (recorded !== history) set({ document: next, history: recorded });
  },
  undo: () => {
    const step = undo(get().history, get().document);
    if (!step) return null;
    const label = get().history.done.at(-1)?.label ?? null;
    set(step);
    return label;
  },
  redo: () => {
    const step = redo(get().history, get().document);
    if (!step) return null;
    const label = get().history.undone.at(-1)?.label ?? null;
    set(step);
    return label;
  },
  open: ({ document, path, version }) =>
    set((s) => ({
      document: { ...document, nodes: document.nodes ?? [], edges: document.edges ?? [] },
      path,
      version,
      savedAt: null,
      history: emptyHistory(),
      savedState: 0,
      generation: s.generation + 1,
      behind: null,
    })),
  showReadOnly: (document) =>
    set((s) => {
      const { path, version, savedAt, history, savedState } = s;
      const inHand = { document: s.document, path, version, savedAt, history, savedState };
      return {
        document: { ...document, nodes: document.nodes ?? [], edges: document.edges ?? [] },
        path: null,
        version: null,
        savedAt: null,
        history: emptyHistory(),
        savedState: 0,
        generation: s.generation + 1,
        behind: s.behind ?? inHand,
      };
    }),
  backToEditing: () =>
    set((s) => (s.behind === null ? s : { ...s.behind, behind: null, generation: s.generation + 1 })),
  markSaved: ({ path, version, state, at }) => set({ path, version, savedState: state, savedAt: at }),
}));

export const isDirty = (s: Pick<DocumentState, "history" | "savedState" | "behind">) => {
  const inHand = s.behind ?? s;
  return stateOf(inHand.history) !== inHand.savedState;
};

export const useDirty = () => useDocument(isDirty);

export function useFlowNode(id: string | null): FlowNode | undefined {
  return useDocument((s) => (id === null ? undefined : s.document.nodes.find((node) => node.id === id)));
}

/** Sets one field of a node's data, joined with the edits of the same field just before. */
export function editData(id: string, field: string, value: unknown, label = "Change setting"): void {
  useDocument.getState().edit(setData(id, field, value), { label, mark: `data:${id}.${field}` });
}

export function fileName(path: string | null, name: string | undefined): string {
  if (path) return path.split(/[\\/]/).at(-1) ?? path;
  return name || "Untitled";
}
