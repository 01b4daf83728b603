// Pinned values that replace the results of nodes, keyed by file and node. With pins, the nodes after a
// costly one can be built and run at no cost. They apply to runs started in this window and are not saved in
// the flow's file.
import { create } from "zustand";
import { breadcrumbPath, type DocumentState, useDocument } from "../../document/document";
import type { Json } from "../../ipc/generated/bindings";
import { fileKey, keyInHand, whenSavedElsewhere } from "./typed-inputs";

const STORE_KEY = "loopwright.pins";
/**
 * The maximum total size of the pins stored for the next start of the window, in characters. Above it, the
 * oldest files' pins are dropped.
 */
const MAX_STORED_CHARACTERS = 400_000;

export type Pins = { readonly [nodeId: string]: Json };
type ByFile = { readonly [file: string]: Pins };

type PinsState = {
  readonly byFile: ByFile;
  /** The node whose value is being edited; null if there is none. */
  readonly editing: { readonly nodeId: string; readonly value: Json } | null;
  set(file: string, nodeId: string, value: Json): void;
  remove(file: string, nodeId: string): void;
  /**
   * Moves the pins of one file to another, or copies them if `keepsSource` is true. They replace the pins of
   * the target.
   */
  move(from: string, to: string, keepsSource: boolean): void;
  edit(editing: PinsState["editing"]): void;
};

function remembered(): ByFile {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORE_KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as ByFile) : {};
  } catch {
    // If the stored entry is damaged, only pins are lost. Past runs have their own copies of theirs.
    return {};
  }
}

/**
 * Returns the pins of the newest files that fit within `most` characters. A file is kept completely or not at
 * all.
 */
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

/** Returns the key of the file whose runs this window starts. */
export const fileInHand = (): string => keyInHand();

/** Returns the pins of a document's nodes, without those of deleted nodes. */
export function pinsOf(file: Pick<DocumentState, "path" | "id" | "root">): Pins {
  const pins = usePins.getState().byFile[fileKey(file)] ?? NO_PINS;
  const ids = new Set(file.root.nodes.map((node) => node.id));
  return Object.fromEntries(Object.entries(pins).filter(([id]) => ids.has(id)));
}

/**
 * Returns whether nodes of the shown flow can be pinned. They cannot in a read-only flow or inside a subflow;
 * the subflow as a whole can.
 */
export function canPin(): boolean {
  const state = useDocument.getState();
  return state.suspended === null && state.parents.length === 0 && breadcrumbPath(state).length === 0;
}

/**
 * Returns the pinned value of a node of the open document, wrapped in an object so that null means "not
 * pinned".
 */
export function usePin(nodeId: string): { value: Json } | null {
  const file = useDocument((s) => {
    if (s.suspended !== null || s.parents.length > 0 || breadcrumbPath(s).length > 0) return null;
    return fileKey(s);
  });
  const pins = usePins((s) => (file === null ? NO_PINS : (s.byFile[file] ?? NO_PINS)));
  return nodeId in pins ? { value: pins[nodeId] } : null;
}

/** Returns the number of pinned nodes in the open document. */
export function usePinCount(): number {
  const file = useDocument(fileKey);
  const nodes = useDocument((s) => s.root.nodes);
  const pins = usePins((s) => s.byFile[file] ?? NO_PINS);
  const ids = new Set(nodes.map((node) => node.id));
  return Object.keys(pins).filter((id) => ids.has(id)).length;
}
