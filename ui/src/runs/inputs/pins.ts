// Values that stand for what nodes would give, by file and node: work behind them costs nothing while it is built. They
// belong to the runs that are started here, not to the flow's file.
import { create } from "zustand";
import { breadcrumbPath, type DocumentState, useDocument } from "../../document/document";
import type { Json } from "../../ipc/generated/bindings";
import { fileKey, keyInHand, whenSavedElsewhere } from "./typed-inputs";

const STORE_KEY = "loopwright.pins";
/** Characters of all pins that are kept for the next start; beyond that the oldest files' go. */
const MAX_STORED_CHARACTERS = 400_000;

export type Pins = { readonly [nodeId: string]: Json };
type ByFile = { readonly [file: string]: Pins };

type PinsState = {
  readonly byFile: ByFile;
  /** The node whose value is being written by hand; null: none. */
  readonly editing: { readonly nodeId: string; readonly value: Json } | null;
  set(file: string, nodeId: string, value: Json): void;
  remove(file: string, nodeId: string): void;
  /** Gives a file the pins of another. */
  move(from: string, to: string, keepsSource: boolean): void;
  edit(editing: PinsState["editing"]): void;
};

function remembered(): ByFile {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORE_KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as ByFile) : {};
  } catch {
    // A damaged entry only loses pins; the runs that used them have them.
    return {};
  }
}

/** The newest files' pins that fit; a file is kept whole or not at all. */
export function toKeep(byFile: ByFile, most = MAX_STORED_CHARACTERS): ByFile {
  const kept: [string, Pins][] = [];
  let room = most;
  for (const [file, pins] of Object.entries(byFile).reverse()) {
    room -= JSON.stringify([file, pins]).length;
    if (room < 0) break;
    kept.unshift([file, pins]);
  }
  return Object.fromEntries(kept);
}

const NO_PINS: Pins = {};

export const usePins = create<PinsState>()((set, get) => {
  const put = (file: string, pins: Pins) => {
    const { [file]: _, ...others } = get().byFile;
    const byFile = Object.keys(pins).length === 0 ? others : { ...others, [file]: pins };
    localStorage.setItem(STORE_KEY, JSON.stringify(toKeep(byFile)));
    set({ byFile });
  };
  return {
    byFile: remembered(),
    editing: null,
    set: (file, nodeId, value) => put(file, { ...get().byFile[file], [nodeId]: value }),
    remove: (file, nodeId) => {
      const { [nodeId]: _, ...others } = get().byFile[file] ?? {};
      put(file, others);
    },
    move: (from, to, keepsSource) => {
      const { [from]: pins, [to]: before } = get().byFile;
      if (pins === undefined && before === undefined) return;
      put(to, pins ?? NO_PINS);
      if (!keepsSource) put(from, NO_PINS);
    },
    edit: (editing) => set({ editing }),
  };
});

whenSavedElsewhere((...args) => usePins.getState().move(...args));

/** The file whose runs the window starts now. */
export const fileInHand = (): string => keyInHand();

/** The pins of a document's nodes; those of nodes that are gone are left out. */
export function pinsOf(file: Pick<DocumentState, "path" | "id" | "root">): Pins {
  const pins = usePins.getState().byFile[fileKey(file)] ?? NO_PINS;
  const ids = new Set(file.root.nodes.map((node) => node.id));
  return Object.fromEntries(Object.entries(pins).filter(([id]) => ids.has(id)));
}

/** Nodes inside a subflow have no pins of their own: the subflow as a whole may have one. */
export function canPin(): boolean {
  const state = useDocument.getState();
  return state.suspended === null && state.parents.length === 0 && breadcrumbPath(state).length === 0;
}

/** The pinned value of a node of the document in hand, in a box; null where it has none. */
export function usePin(nodeId: string): { value: Json } | null {
  const file = useDocument((s) => {
    if (s.suspended !== null || s.parents.length > 0 || breadcrumbPath(s).length > 0) return null;
    return fileKey(s);
  });
  const pins = usePins((s) => (file === null ? NO_PINS : (s.byFile[file] ?? NO_PINS)));
  return nodeId in pins ? { value: pins[nodeId] } : null;
}

/** How many nodes of the document in hand are pinned. */
export function usePinCount(): number {
  const file = useDocument(fileKey);
  const nodes = useDocument((s) => s.root.nodes);
  const pins = usePins((s) => s.byFile[file] ?? NO_PINS);
  const ids = new Set(nodes.map((node) => node.id));
  return Object.keys(pins).filter((id) => ids.has(id)).length;
}
