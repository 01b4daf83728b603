// Undo and redo, stored as differences between states. A drag, a burst of typing and a paste are one entry
// each.
import type { FlowDoc } from "../ipc/generated/bindings";
import { applyDiff, type DocumentDiff, diffDocuments, isEmpty, mergeDiffs } from "./diff";

/** The ids of selected nodes and wires. */
export interface Picked {
  nodes: readonly string[];
  edges: readonly string[];
}

/** The selection before and after an edit, and the breadcrumbs of the flow it belongs to. */
export interface Around {
  inside: readonly string[];
  before: Picked;
  after: Picked;
}

export interface HistoryEntry {
  /** The user action, for the menu and for screen readers: "Move node". */
  label: string;
  /**
   * Edits with the same mark that follow each other closely become one entry. An entry whose mark is null is
   * never merged.
   */
  mark: string | null;
  /** The time of the newest edit in the entry, in milliseconds since the epoch. */
  at: number;
  /** A number that identifies the state after the entry, so that the saved state can be recognised. */
  state: number;
  diff: DocumentDiff;
  around: Around | null;
}

export interface History {
  done: HistoryEntry[];
  undone: HistoryEntry[];
  /** The number of the state before the first entry. */
  base: number;
  nextState: number;
}

/** The pause between edits of the same mark after which a new entry starts, in milliseconds. */
export const BURST_PAUSE_MS = 1000;
/** The maximum number of entries. Older ones are dropped, which only limits how far undo goes. */
export const MAX_ENTRIES = 500;

export const emptyHistory = (): History => ({ done: [], undone: [], base: 0, nextState: 1 });

export const stateOf = (history: History): number => history.done.at(-1)?.state ?? history.base;

export interface EditNote {
  label: string;
  mark?: string | null;
  at: number;
  around?: Around;
}

/** Records the change from one document to the next. Returns the same history if nothing changed. */
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

/**
 * Merges another change into the newest entry. Returns null if the history has changed since `state`, or if
 * nothing changed.
 */
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
  /** The entry that was undone or redone. */
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
    // The entry loses its mark, so that typing after a redo starts a new one.
    history: {
      ...history,
      undone: history.undone.slice(0, -1),
      done: [...history.done, { ...entry, mark: null }],
    },
  };
}

/**
 * Undoes or redoes entries until exactly `length` of them are applied. Returns null if they already are, or
 * if `length` is out of range.
 */
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
