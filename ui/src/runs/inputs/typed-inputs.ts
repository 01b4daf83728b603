// The text typed for each input of the next run, keyed by file and input. A document without a file is stored
// under the id that its tab and its draft have, so that two new workflows never share typed text.
import { create } from "zustand";
import { type DocumentState, outermost, useDocument } from "../../document/document";

const STORE_KEY = "loopwright.runInputs";

/**
 * The number of entries kept for files and for unsaved documents. Separate limits keep many drafts from
 * displacing a file's entry.
 */
const MAX_REMEMBERED = { files: 40, unsaved: 20 };

type Typed = Readonly<Record<string, string>>;
type Remembered = Readonly<Record<string, Typed>>;

const UNSAVED = "unsaved:";

/** Returns the key under which data of a document is stored: its path, or its id until it has one. */
export const fileKey = (file: Pick<DocumentState, "path" | "id">): string =>
  file.path ?? `${UNSAVED}${file.id}`;

/** Returns the key of the file whose runs this window starts. */
export const keyInHand = (s: DocumentState = useDocument.getState()): string => fileKey(outermost(s));

function readRemembered(): Remembered {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORE_KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Remembered) : {};
  } catch {
    // If the stored entry is damaged, only typed text is lost. The nodes' defaults remain.
    return {};
  }
}

/**
 * Returns whether a key was written by an older version, which used the workflow's title as key. Several
 * workflows can share a title, so such a key is ambiguous.
 */
const isShared = (key: string): boolean => /^unsaved:(?![0-9a-z]+-\d+-[0-9a-z]+$)/.test(key);

/**
 * Returns the entries without those with ambiguous keys, and without the least recently changed ones above
 * the limits.
 */
function newest(typed: Remembered): Remembered {
  const all = Object.entries(typed).filter(([key]) => !isShared(key));
  const drop = new Set(
    [true, false].flatMap((unsaved) => {
      const keys = all.map(([key]) => key).filter((key) => key.startsWith(UNSAVED) === unsaved);
      return keys.slice(0, -(unsaved ? MAX_REMEMBERED.unsaved : MAX_REMEMBERED.files));
    }),
  );
  return Object.fromEntries(all.filter(([key]) => !drop.has(key)));
}

type RunInputsState = {
  /** The typed text, by file and input name. A missing entry means the default. */
  readonly typed: Remembered;
  set(file: string, name: string, value: string | null): void;
  /**
   * Moves one file's typed text to another file, or copies it if `keepsSource` is true. Earlier text of the
   * target is dropped, since it may belong to another workflow.
   */
  move(from: string, to: string, keepsSource: boolean): void;
};

export const useRunInputs = create<RunInputsState>()((set, get) => {
  /**
   * Writes the entries of the changed files. Other files keep their stored entries, since another window may
   * have changed them.
   */
  const put = (changed: Readonly<Record<string, Typed | null>>) => {
    const files = Object.keys(changed);
    const others = Object.entries({ ...get().typed, ...readRemembered() }).filter(
      ([key]) => !files.includes(key),
    );
    const own = Object.entries(changed).filter((entry): entry is [string, Typed] => entry[1] !== null);
    // The open file goes last, which marks it as the newest.
    const typed = newest(Object.fromEntries([...others, ...own]));
    localStorage.setItem(STORE_KEY, JSON.stringify(typed));
    set({ typed });
  };
  return {
    typed: newest(readRemembered()),
    set(file, name, value) {
      const { [name]: _, ...others } = get().typed[file] ?? {};
      put({ [file]: value === null ? others : { ...others, [name]: value } });
    },
    move(from, to, keepsSource) {
      const { [from]: typed, [to]: before } = get().typed;
      if (from === to || (typed === undefined && before === undefined)) return;
      put({ ...(keepsSource ? {} : { [from]: null }), [to]: typed ?? null });
    },
  };
});

/**
 * Calls `move` when the open document is saved to its first file or to a different one. If the document had a
 * file before, `keepsSource` is true, so that the old file keeps its entry.
 */
export function whenSavedElsewhere(move: (from: string, to: string, keepsSource: boolean) => void): void {
  useDocument.subscribe((s, before) => {
    if (s.path === before.path || s.path === null || s.id !== before.id) return;
    // A file opened through a subflow does not have its own run inputs.
    if (s.parents.length > 0) return;
    move(fileKey(before), fileKey(s), before.path !== null);
  });
}

whenSavedElsewhere((...args) => useRunInputs.getState().move(...args));

const NOTHING_TYPED: Typed = {};

export function useTyped(file: string): Typed {
  return useRunInputs((s) => s.typed[file] ?? NOTHING_TYPED);
}

/** Returns the text typed for a run of the open workflow, by input name. */
export const typedInHand = (): Typed => useRunInputs.getState().typed[keyInHand()] ?? NOTHING_TYPED;
