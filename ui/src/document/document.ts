// The flow being edited: one document, its history, its file. Components read it through `useDocument`; every
// change goes through `edit`, with an edit function from edits.ts.
//
// One entry of the undo history is one user action: give edits that belong together the same `mark`
// (`data:<node>.<field>` while typing), and they join while they follow each other within a second.
//
// A flow may hold flows, inline or as files beside it. What is shown is one of them; an edit of an inline one is an edit
// of the document around it, with its history, while a file of its own is edited and saved by itself.
import { create } from "zustand";
import type { FlowDoc, FlowNode, OpenedFlow } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import type { DocumentEdit } from "./document-edit";
import { setData } from "./edits";
import {
  amend,
  emptyHistory,
  type History,
  type Picked,
  record,
  redo,
  type Step,
  stateOf,
  travel,
  undo,
} from "./history";
import { changedAt, existingPath, flowAt } from "./inside";
import { ownIds } from "./own-ids";

export interface EditOptions {
  label: string;
  mark?: string;
  /** The nodes that are selected afterwards; what is selected stays so where it is left out. */
  select?: readonly string[];
}

/** What is kept of a file in hand while it is suspended or is a parent of another. */
type Editing = Pick<
  DocumentState,
  "id" | "root" | "inside" | "path" | "version" | "savedAt" | "history" | "savedState"
>;

/** A parent file, and the node in it whose file is in hand. */
export type ParentFile = Editing & { readonly node: string };

export interface DocumentState {
  /** The flow that is shown and edited: the file's own, or one that it holds inline. */
  document: FlowDoc;
  /** The whole document of the file in hand. */
  root: FlowDoc;
  /** Names the file in hand while it has no path, and its draft. No other document ever has it. */
  id: string;
  /** The breadcrumbs from `root` to `document`: ids of subflow nodes. */
  inside: readonly string[];
  /** The files around the one in hand, outermost first: those whose subflows led here. */
  parents: readonly ParentFile[];
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
  /** Grows whenever another flow is shown, also one within the same document. */
  place: number;
  /** Whether the file gives its nodes no places, and nobody has yet. */
  unplaced: boolean;
  /** The files in hand while another document is only looked at: a past run's. Null while editing. */
  suspended: (Editing & { readonly parents: readonly ParentFile[] }) | null;
  edit(change: DocumentEdit, options: EditOptions): void;
  /** Makes a change part of the edit behind which the history had this state; false where something happened since. */
  amend(state: number, change: DocumentEdit): boolean;
  /** Changes how the document is held, with nothing to undo and nothing to save: places that its file leaves out. */
  settle(change: DocumentEdit): void;
  undo(): string | null;
  redo(): string | null;
  /** Goes to the state in which `length` entries of the history are done. */
  goTo(length: number): void;
  /** Takes the place of the document, with an empty history. */
  open(opened: Opened): void;
  /** Shows the flow that a node holds. False where it holds none. */
  enter(node: string): boolean;
  /** Shows the file that a node refers to, as a file of its own, with a history of its own. */
  enterFile(node: string, opened: Opened): void;
  /** Takes the place of the file in hand, and leaves those around it. */
  replaceFile(opened: Opened): void;
  /** Shows the flow around. What was not saved of a file is given up; see files.ts for the question. */
  leave(): void;
  /** Shows a document that cannot be edited; editing the one in hand is suspended, with its history. */
  showReadOnly(document: FlowDoc): void;
  backToEditing(): void;
  /** Gives everything in hand and takes another tab's in its place. */
  exchange(other: InHand): InHand;
  /** What is in hand is nowhere else any more: its file is gone. */
  markLost(): void;
  markSaved(saved: { path: string; version: string; state: number; at: number }): void;
}

/** Everything that is in hand, as a tab keeps it while another is active. */
export type InHand = Editing & Pick<DocumentState, "document" | "parents" | "suspended">;

export type Opened = Pick<OpenedFlow, "document"> & {
  path: string | null;
  version: string | null;
  /** It is not what the file holds: a draft that was found. */
  unsaved?: boolean;
  /** The id that it had when it was in hand before; a new one where this is absent. */
  id?: string;
};

/** What a workflow is called that nobody named. */
export const UNNAMED = "Untitled";

const blank: FlowDoc = { schemaVersion: 1, name: UNNAMED, nodes: [], edges: [] };

function picked(): Picked {
  const { nodes, edges } = useSession.getState().selection;
  return { nodes: [...nodes], edges: [...edges] };
}

/** Selects again what was selected around an entry, as far as it is there; in another flow nothing of it is. */
function pickAgain(
  { document, inside }: Pick<DocumentState, "document" | "inside">,
  { entry: { around } }: Step,
  side: "before" | "after",
): void {
  if (!around || around.inside.join("/") !== inside.join("/")) return;
  const nodes = new Set(document.nodes.map((node) => node.id));
  const edges = new Set(document.edges.map((edge) => edge.id));
  useSession.getState().select(
    around[side].nodes.filter((id) => nodes.has(id)),
    around[side].edges.filter((id) => edges.has(id)),
  );
}

/** Nodes that the file gives no place stand in a row until they are laid out. */
const inARow = (nodes: readonly FlowNode[]): FlowNode[] =>
  nodes.map((node, i) => (node.position ? node : { ...node, position: { x: i * APART, y: 0 } }));

/** In pixels. */
const APART = 240;

/** No state of a history has this number. */
const NEVER_SAVED = -1;

let made = 0;

/** Drafts are named by it, so a later start must not give it again, nor another window. */
const newId = (): string => `${Date.now().toString(36)}-${++made}-${Math.random().toString(36).slice(2, 8)}`;

/** A file as it was just read: nothing to undo, nothing unsaved. */
function fresh({ document: opened, path, version, unsaved, id = newId() }: Opened) {
  const { document } = ownIds(opened);
  const nodes: FlowNode[] = document.nodes ?? [];
  const unplaced = nodes.some((node) => !node.position);
  const root: FlowDoc = { ...document, nodes: unplaced ? inARow(nodes) : nodes, edges: document.edges ?? [] };
  return {
    id,
    unplaced,
    root,
    document: root,
    inside: [] as readonly string[],
    path,
    version,
    savedAt: null,
    history: emptyHistory(),
    savedState: unsaved || document !== opened ? NEVER_SAVED : 0,
  };
}

/** A document that was just opened, as a tab in the background holds it. */
export const inHandOfOpened = (opened: Opened): InHand => ({
  ...fresh(opened),
  parents: [],
  suspended: null,
});

/** Nothing: what a window begins with, and what stays when the last tab is closed. */
export const nothingInHand = (): InHand => inHandOfOpened({ document: blank, path: null, version: null });

function inHandOf(s: Editing): Editing {
  const { id, root, inside, path, version, savedAt, history, savedState } = s;
  return { id, root, inside, path, version, savedAt, history, savedState };
}

/** A file again as it was left. */
const resumed = (editing: Editing) => ({
  ...editing,
  document: flowAt(editing.root, editing.inside) ?? editing.root,
});

/** The state after a change of the whole document; the breadcrumbs are as long as they still lead somewhere. */
function rooted(s: DocumentState, root: FlowDoc, history: History): Partial<DocumentState> {
  const inside = existingPath(root, s.inside);
  const document = flowAt(root, inside) ?? root;
  return inside === s.inside
    ? { root, document, history }
    : { root, document, history, inside, place: s.place + 1 };
}

export const useDocument = create<DocumentState>()((set, get) => ({
  ...fresh({ document: blank, path: null, version: null }),
  parents: [],
  generation: 0,
  place: 0,
  suspended: null,
  edit: (change, options) => {
    const { root, inside, history, suspended } = get();
    if (suspended !== null) return;
    const next = changedAt(root, inside, change);
    if (next === root) return;
    // The same field of the same node in another flow is another field.
    const mark = options.mark && inside.length > 0 ? `${inside.join("/")}/${options.mark}` : options.mark;
    const before = picked();
    const after = options.select ? { nodes: options.select, edges: [] } : before;
    const recorded = record(history, root, next, {
      label: options.label,
      mark,
      at: Date.now(),
      around: { inside, before, after },
    });
    if (recorded === history) return;
    set((s) => rooted(s, next, recorded));
    if (options.select) useSession.getState().select(options.select);
  },
  amend: (state, change) => {
    const { root, inside, history, suspended } = get();
    const next = changedAt(root, inside, change);
    const amended = suspended === null ? amend(history, state, root, next) : null;
    if (amended === null) return false;
    set((s) => rooted(s, next, amended));
    return true;
  },
  settle: (change) =>
    set((s) => ({ ...rooted(s, changedAt(s.root, s.inside, change), s.history), unplaced: false })),
  undo: () => {
    const step = undo(get().history, get().root);
    if (!step) return null;
    set((s) => rooted(s, step.document, step.history));
    pickAgain(get(), step, "before");
    return step.entry.label;
  },
  redo: () => {
    const step = redo(get().history, get().root);
    if (!step) return null;
    set((s) => rooted(s, step.document, step.history));
    pickAgain(get(), step, "after");
    return step.entry.label;
  },
  goTo: (length) => {
    const { history, root } = get();
    const back = length < history.done.length;
    const step = travel(history, root, length);
    if (!step) return;
    set((s) => rooted(s, step.document, step.history));
    pickAgain(get(), step, back ? "before" : "after");
  },
  open: (opened) =>
    set((s) => ({
      ...fresh(opened),
      parents: [],
      generation: s.generation + 1,
      place: s.place + 1,
      suspended: null,
    })),
  enter: (node) => {
    const { root, inside } = get();
    const inner = [...inside, node];
    const document = flowAt(root, inner);
    if (document === null) return false;
    set((s) => ({ document, inside: inner, place: s.place + 1 }));
    return true;
  },
  enterFile: (node, opened) =>
    set((s) => ({
      ...fresh(opened),
      parents: [...s.parents, { ...inHandOf(s), node }],
      place: s.place + 1,
    })),
  replaceFile: (opened) => set((s) => ({ ...fresh(opened), place: s.place + 1 })),
  leave: () =>
    set((s) => {
      if (s.inside.length > 0) {
        const inside = s.inside.slice(0, -1);
        return { inside, document: flowAt(s.root, inside) ?? s.root, place: s.place + 1 };
      }
      const around = s.parents.at(-1);
      if (!around) return s;
      const { node: _, ...editing } = around;
      return { ...resumed(editing), parents: s.parents.slice(0, -1), place: s.place + 1 };
    }),
  showReadOnly: (document) =>
    set((s) => ({
      ...fresh({ document, path: null, version: null }),
      parents: [],
      generation: s.generation + 1,
      place: s.place + 1,
      suspended: s.suspended ?? { ...inHandOf(s), parents: s.parents },
    })),
  backToEditing: () =>
    set((s) => {
      if (s.suspended === null) return s;
      const { parents, ...editing } = s.suspended;
      return {
        ...resumed(editing),
        parents,
        suspended: null,
        generation: s.generation + 1,
        place: s.place + 1,
      };
    }),
  exchange: (other) => {
    const { document, parents, suspended, generation, place, ...rest } = get();
    set({ ...other, generation: generation + 1, place: place + 1 });
    return { ...inHandOf(rest), document, parents, suspended };
  },
  markLost: () => set({ savedState: NEVER_SAVED }),
  markSaved: ({ path, version, state, at }) => set({ path, version, savedState: state, savedAt: at }),
}));

export const unsaved = (file: Pick<Editing, "history" | "savedState">) =>
  stateOf(file.history) !== file.savedState;

type Dirtiness = Pick<DocumentState, "history" | "savedState" | "suspended" | "parents">;

/** Whether anything in hand is not saved, in this file or in one around it. */
export const isDirty = (s: Dirtiness) => {
  const inHand = s.suspended ?? s;
  return unsaved(inHand) || inHand.parents.some(unsaved);
};

/** Whether the file in hand has changes that are not saved. */
export const isFileDirty = (s: Pick<Dirtiness, "history" | "savedState" | "suspended">) =>
  unsaved(s.suspended ?? s);

/** The breadcrumbs from the outermost flow to the one that is shown, across files: ids of subflow nodes. */
export function breadcrumbPath(s: Pick<DocumentState, "inside" | "parents">): readonly string[] {
  return s.parents.length === 0
    ? s.inside
    : [...s.parents.flatMap((o) => [...o.inside, o.node]), ...s.inside];
}

/** The flow at the end of breadcrumbs from the outermost one, across the files in hand. */
export function documentAt(
  s: Pick<DocumentState, "root" | "inside" | "parents">,
  breadcrumbs: readonly string[],
): FlowDoc | null {
  let rest = breadcrumbs;
  for (const { root, inside } of [...s.parents, s]) {
    if (rest.length <= inside.length) return flowAt(root, rest);
    rest = rest.slice(inside.length + 1);
  }
  return null;
}

/** The file that a run is of: the outermost one. */
export function outermost(
  s: Pick<DocumentState, "id" | "root" | "path" | "parents">,
): Pick<Editing, "id" | "root" | "path"> {
  return s.parents[0] ?? s;
}

export const useDirty = () => useDocument(isFileDirty);

/** Whether a flow inside a subflow is shown. */
export const useInside = () => useDocument((s) => breadcrumbPath(s).length > 0);

/** The document that a run is of. */
export const useRunDocument = () => useDocument((s) => outermost(s).root);

export function useFlowNode(id: string | null): FlowNode | undefined {
  return useDocument((s) => (id === null ? undefined : s.document.nodes.find((node) => node.id === id)));
}

/** Sets one field of a node's data, joined with the edits of the same field just before. */
export function editData(id: string, field: string, value: unknown, label = "Change setting"): void {
  useDocument.getState().edit(setData(id, field, value), { label, mark: `data:${id}.${field}` });
}

export function fileName(path: string | null, name: string | undefined): string {
  if (path) return path.split(/[\\/]/).at(-1) ?? path;
  return name || UNNAMED;
}
