// The flow being edited: one document, its history and its file. Components read it through `useDocument`.
// Every change goes through `edit`, with an edit function from edits.ts.
//
// One entry of the undo history is one user action. Edits with the same `mark` (`data:<node>.<field>` while
// typing) are joined if they follow each other within a second.
//
// A flow may contain other flows, inline or as files next to it, and one of them is shown. Editing an inline
// flow edits the document around it, with the same history. A separate file is edited and saved by itself.
import { create } from "zustand";
import type { FlowDoc, FlowNode, Json, OpenedFlow } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import type { DocumentEdit } from "./document-edit";
import { combineEdits, setData } from "./edits";
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
  /** The ids to select after the edit. If absent, the selection does not change. */
  select?: readonly string[];
}

/** The state of an open file that is kept while the file is suspended or is the parent of another. */
type Editing = Pick<
  DocumentState,
  "id" | "root" | "inside" | "path" | "version" | "savedAt" | "history" | "savedState"
>;

/** A parent file, and its node that refers to the open file. */
export type ParentFile = Editing & { readonly node: string };

export interface DocumentState {
  /** The shown flow: the file's own, or one inside it. */
  document: FlowDoc;
  /** The whole document of the open file. */
  root: FlowDoc;
  /**
   * The unique id of the open document. It identifies the draft of the document and, while the document has
   * no path, the document itself.
   */
  id: string;
  /** The breadcrumbs from `root` to `document`: ids of subflow nodes. */
  inside: readonly string[];
  /** The files whose subflows lead to the open one, outermost first. */
  parents: readonly ParentFile[];
  /** The file's path; null until the flow is saved. */
  path: string | null;
  /** The file's content hash when it was last read or written. */
  version: string | null;
  /** The time of the last save in milliseconds since the epoch; null if not saved in this session. */
  savedAt: number | null;
  history: History;
  savedState: number;
  /** Incremented when another document is opened: a file, a new flow, a template. */
  generation: number;
  /** Incremented whenever another flow is shown, including a flow inside the same document. */
  place: number;
  /** Whether the file contains no node positions and none were set yet. */
  unplaced: boolean;
  /**
   * The open files while another document, such as that of a past run, is shown read-only. Null while
   * editing.
   */
  suspended: (Editing & { readonly parents: readonly ParentFile[] }) | null;
  edit(change: DocumentEdit, options: EditOptions): void;
  /**
   * Merges a change into the edit that led to `state`. Returns false, without a change, if another edit or an
   * undo followed.
   */
  amend(state: number, change: DocumentEdit): boolean;
  /**
   * Changes the document without an undo entry and without marking it unsaved. Used for data that the file
   * may omit, such as positions.
   */
  settle(change: DocumentEdit): void;
  undo(): string | null;
  redo(): string | null;
  /** Goes to the state after the first `length` entries of the undo history. */
  goTo(length: number): void;
  /** Replaces the document and empties the history. */
  open(opened: Opened): void;
  /** Shows the flow inside a node. Returns false if the node contains none. */
  enter(node: string): boolean;
  /** Shows the file that a node refers to, as a separate file with its own history. */
  enterFile(node: string, opened: Opened): void;
  /** Replaces the open file, but keeps its parent files. */
  replaceFile(opened: Opened): void;
  /** Shows the enclosing flow. Discards unsaved changes of a file; files.ts asks the user first. */
  leave(): void;
  /** Shows a read-only document. Editing of the open one is suspended, with its history. */
  showReadOnly(document: FlowDoc): void;
  backToEditing(): void;
  /** Replaces the whole open state with that of another tab, and returns the previous one. */
  exchange(other: InHand): InHand;
  /** Marks the document as unsaved because its file is gone. */
  markLost(): void;
  markSaved(saved: { path: string; version: string; state: number; at: number }): void;
}

/** The whole open state, as a tab keeps it while another is active. */
export type InHand = Editing & Pick<DocumentState, "document" | "parents" | "suspended">;

export type Opened = Pick<OpenedFlow, "document"> & {
  path: string | null;
  version: string | null;
  /** Whether the content differs from the file, as in a restored draft. */
  unsaved?: boolean;
  /** The previous id of the document. If absent, a new id is created. */
  id?: string;
};

/** The name of a workflow without a name. */
export const UNNAMED = "Untitled";

const blank: FlowDoc = { schemaVersion: 1, name: UNNAMED, nodes: [], edges: [] };

function picked(): Picked {
  const { nodes, edges } = useSession.getState().selection;
  return { nodes: [...nodes], edges: [...edges] };
}

/**
 * Restores the selection from before or after a history entry, without elements that no longer exist. Does
 * nothing if another flow is shown.
 */
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

/** Places nodes without positions in a row until they are laid out. */
const inARow = (nodes: readonly FlowNode[]): FlowNode[] =>
  nodes.map((node, i) => (node.position ? node : { ...node, position: { x: i * APART, y: 0 } }));

/** The distance between nodes in that row, in pixels. */
const APART = 240;

/** A number that no state of a history has. */
const NEVER_SAVED = -1;

let made = 0;

/**
 * Returns a new id. The draft of a document is named by its id, so no later start and no other window may
 * create the same id.
 */
const newId = (): string => `${Date.now().toString(36)}-${++made}-${Math.random().toString(36).slice(2, 8)}`;

/**
 * Returns the state of a file just opened: nothing to undo and, unless `unsaved` is true, nothing unsaved.
 */
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

/** Returns the state of a document just opened, in the form kept for a background tab. */
export const inHandOfOpened = (opened: Opened): InHand => ({
  ...fresh(opened),
  parents: [],
  suspended: null,
});

/** Returns the state without a document, used by a new window and after the last tab is closed. */
export const nothingInHand = (): InHand => inHandOfOpened({ document: blank, path: null, version: null });

function inHandOf(s: Editing): Editing {
  const { id, root, inside, path, version, savedAt, history, savedState } = s;
  return { id, root, inside, path, version, savedAt, history, savedState };
}

/** Returns the state of a file as it was when editing was suspended. */
const resumed = (editing: Editing) => ({
  ...editing,
  document: flowAt(editing.root, editing.inside) ?? editing.root,
});

/**
 * Returns the state after a change of the whole document. The breadcrumbs are shortened to the part that still
 * exists.
 */
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
    // The same field of the same node in another flow is a different field.
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

/** Returns whether this file or one of its parents has unsaved changes. */
export const isDirty = (s: Dirtiness) => {
  const inHand = s.suspended ?? s;
  return unsaved(inHand) || inHand.parents.some(unsaved);
};

/** Returns whether the open file has unsaved changes. */
export const isFileDirty = (s: Pick<Dirtiness, "history" | "savedState" | "suspended">) =>
  unsaved(s.suspended ?? s);

/** Returns the breadcrumbs from the outermost flow to the shown one, across files: ids of subflow nodes. */
export function breadcrumbPath(s: Pick<DocumentState, "inside" | "parents">): readonly string[] {
  return s.parents.length === 0
    ? s.inside
    : [...s.parents.flatMap((o) => [...o.inside, o.node]), ...s.inside];
}

/**
 * Returns the flow at the end of the breadcrumbs; null if it does not exist. The breadcrumbs start at the
 * outermost flow and may lead into other files.
 */
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

/** Returns the state of the outermost file, which is the file that runs. */
export function outermost(
  s: Pick<DocumentState, "id" | "root" | "path" | "parents">,
): Pick<Editing, "id" | "root" | "path"> {
  return s.parents[0] ?? s;
}

export const useDirty = () => useDocument(isFileDirty);

/** Returns whether the shown flow is inside a subflow. */
export const useInside = () => useDocument((s) => breadcrumbPath(s).length > 0);

/** Returns the document that a run would use. */
export const useRunDocument = () => useDocument((s) => outermost(s).root);

export function useFlowNode(id: string | null): FlowNode | undefined {
  return useDocument((s) => (id === null ? undefined : s.document.nodes.find((node) => node.id === id)));
}

/** Sets one field of a node's data. Consecutive edits of the same field become one undo entry. */
export function editData(id: string, field: string, value: unknown, label = "Change setting"): void {
  useDocument.getState().edit(setData(id, field, value), { label, mark: `data:${id}.${field}` });
}

/**
 * Sets several fields of a node's data as one user action. Consecutive edits of the same fields become one undo
 * entry.
 */
export function editFields(id: string, values: Readonly<Record<string, Json>>, label: string): void {
  const edits = Object.entries(values).map(([field, value]) => setData(id, field, value));
  const mark = `data:${id}.${Object.keys(values).join("+")}`;
  useDocument.getState().edit(combineEdits(...edits), { label, mark });
}

export function fileName(path: string | null, name: string | undefined): string {
  if (path) return path.split(/[\\/]/).at(-1) ?? path;
  return name || UNNAMED;
}
