// What was typed for the next run, by file and input. A document without a file has an entry of its own, under the id that it
// keeps in its tab and in its draft, so that two new workflows never share a text.
import { create } from "zustand";
import { type DocumentState, outermost, useDocument } from "../../document/document";

const STORE_KEY = "loopwright.runInputs";

/** How many entries are remembered: of files, and of documents without one, so that many drafts never push out a file's. */
const MAX_REMEMBERED = { files: 40, unsaved: 20 };

type Typed = Readonly<Record<string, string>>;
type Remembered = Readonly<Record<string, Typed>>;

const UNSAVED = "unsaved:";

/** Under what name something of a document is remembered: its path, or its own id until it has one. */
export const fileKey = (file: Pick<DocumentState, "path" | "id">): string =>
  file.path ?? `${UNSAVED}${file.id}`;

/** That of the file whose runs the window starts now. */
export const keyInHand = (s: DocumentState = useDocument.getState()): string => fileKey(outermost(s));

function readRemembered(): Remembered {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORE_KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Remembered) : {};
  } catch {
    // A damaged entry only loses what was typed before; the defaults remain.
    return {};
  }
}

/** Entries of older versions are named by the title of a workflow, which many share. */
const isShared = (key: string): boolean => /^unsaved:(?![0-9a-z]+-\d+-[0-9a-z]+$)/.test(key);

/** The entries that are kept, without those not touched for longest. */
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
  /** What was typed, by file and input name. A missing entry means the default. */
  readonly typed: Remembered;
  set(file: string, name: string, value: string | null): void;
  /** Gives a file what was typed for another. Nothing typed for it before is left: it may be of another workflow. */
  move(from: string, to: string, keepsSource: boolean): void;
};

export const useRunInputs = create<RunInputsState>()((set, get) => {
  /** Writes the entry of one file, and leaves those of others as another window may have written them. */
  const put = (changed: Readonly<Record<string, Typed | null>>) => {
    const files = Object.keys(changed);
    const others = Object.entries({ ...get().typed, ...readRemembered() }).filter(
      ([key]) => !files.includes(key),
    );
    const own = Object.entries(changed).filter((entry): entry is [string, Typed] => entry[1] !== null);
    // The file in hand goes last, so that it is the newest.
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

/** Calls `move` when a document in hand gets its first file, or another one, which then also remains with what it had. */
export function whenSavedElsewhere(move: (from: string, to: string, keepsSource: boolean) => void): void {
  useDocument.subscribe((s, before) => {
    if (s.path === before.path || s.path === null || s.id !== before.id) return;
    // A file that a subflow refers to takes no inputs of its own from a person.
    if (s.parents.length > 0) return;
    move(fileKey(before), fileKey(s), before.path !== null);
  });
}

whenSavedElsewhere((...args) => useRunInputs.getState().move(...args));

const NOTHING_TYPED: Typed = {};

export function useTyped(file: string): Typed {
  return useRunInputs((s) => s.typed[file] ?? NOTHING_TYPED);
}

/** What was typed for the runs that the window starts now. */
export const typedInHand = (): Typed => useRunInputs.getState().typed[keyInHand()] ?? NOTHING_TYPED;
