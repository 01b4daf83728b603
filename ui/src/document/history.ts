// Undo and redo as differences between marks: a drag, a burst of typing, a paste is one entry each.
import type { FlowDoc } from "../ipc/generated/bindings";
import { applyDiff, type DocumentDiff, diffDocuments, isEmpty, mergeDiffs } from "./diff";

/** Ids of nodes and wires that are selected. */
export interface Picked {
  nodes: readonly string[];
  edges: readonly string[];
}

/** What was selected around an edit, and in which flow: its breadcrumbs. */
export interface Around {
  inside: readonly string[];
  before: Picked;
  after: Picked;
}

export interface HistoryEntry {
  /** What the person did, for the menu and for screen readers: "Move node". */
  label: string;
  /** Edits with the same mark that follow each other closely become one entry. */
  mark: string | null;
  /** Milliseconds; when the entry last grew. */
  at: number;
  /** Identifies the state after the entry, so that "saved" can be recognised. */
  state: number;
  diff: DocumentDiff;
  around: Around | null;
}

export interface History {
  done: HistoryEntry[];
  undone: HistoryEntry[];
  /** The state before the first entry. */
  base: number;
  nextState: number;
}

/** A pause this long between edits of the same mark starts a new entry, in milliseconds. */
export const BURST_PAUSE_MS = 1000;
/** Entries kept; older ones are forgotten, which only limits how far undo goes. */
export const MAX_ENTRIES = 500;

export const emptyHistory = (): History => ({ done: [], undone: [], base: 0, nextState: 1 });

export const stateOf = (history: History): number => history.done.at(-1)?.state ?? history.base;

export interface EditNote {
  label: string;
  mark?: string | null;
  at: number;
  around?: Around;
}

/** Records the step from one document to the next. Returns the same history when nothing changed. */
export function record(history: History, before: FlowDoc, after: FlowDoc, note: EditNote): History {
  const diff = diffDocuments(before, after);
  if (isEmpty(diff)) return history;
  const last = history.done.at(-1);
  const mark = note.mark ?? null;
  const state = history.nextState;
  const joins =
    last !== undefined &&
    mark !== null &&
    last.mark === mark &&
    history.undone.length === 0 &&
    note.at - last.at <= BURST_PAUSE_MS;
  const entry: HistoryEntry = joins
    ? {
        ...last,
        at: note.at,
        state,
        diff: mergeDiffs(last.diff, diff),
        around: joined(last.around, note.around),
      }
    : { label: note.label, mark, at: note.at, state, diff, around: note.around ?? null };
  const kept = joins ? history.done.slice(0, -1) : history.done;
  const done = [...kept, entry];
  const dropped = done.length > MAX_ENTRIES ? done.shift() : undefined;
  return { done, undone: [], base: dropped?.state ?? history.base, nextState: state + 1 };
}

/** Makes a further change part of the entry that was recorded last. Null where something was done or taken back since `state`. */
export function amend(history: History, state: number, before: FlowDoc, after: FlowDoc): History | null {
  const last = history.done.at(-1);
  if (last?.state !== state || history.undone.length > 0) return null;
  const diff = diffDocuments(before, after);
  if (isEmpty(diff)) return null;
  const entry = { ...last, state: history.nextState, diff: mergeDiffs(last.diff, diff) };
  return { ...history, done: [...history.done.slice(0, -1), entry], nextState: history.nextState + 1 };
}

const joined = (first: Around | null, second: Around | undefined): Around | null =>
  first && second ? { ...second, before: first.before } : (second ?? first);

export interface Step {
  history: History;
  document: FlowDoc;
  /** The entry that was taken back or done again. */
  entry: HistoryEntry;
}

export function undo(history: History, document: FlowDoc): Step | null {
  const entry = history.done.at(-1);
  if (!entry) return null;
  return {
    entry,
    document: applyDiff(document, entry.diff, "before"),
    history: { ...history, done: history.done.slice(0, -1), undone: [...history.undone, entry] },
  };
}

export function redo(history: History, document: FlowDoc): Step | null {
  const entry = history.undone.at(-1);
  if (!entry) return null;
  return {
    entry,
    document: applyDiff(document, entry.diff, "after"),
    // Without its mark, typing after a redo starts an entry of its own.
    history: {
      ...history,
      undone: history.undone.slice(0, -1),
      done: [...history.done, { ...entry, mark: null }],
    },
  };
}

/** Goes to where `length` entries are done: back or forth, as far as it takes. Null where that is here, or nowhere. */
export function travel(history: History, document: FlowDoc, length: number): Step | null {
  let at: Step | null = null;
  let [now, then] = [history, document];
  while (now.done.length !== length) {
    const step = now.done.length > length ? undo(now, then) : redo(now, then);
    if (!step) return null;
    at = step;
    now = step.history;
    then = step.document;
  }
  return at;
}
