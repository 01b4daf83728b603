// Drafts: unsaved work is written to the data folder shortly after each edit, so that it is not lost if the
// program is killed. At the start, the session of the last window is restored: its files open as tabs, and
// its drafts are offered.
import { create } from "zustand";
import { fileName, type InHand, unsaved, useDocument } from "../document/document";
import { showNotes } from "../document/files";
import { api, errorMessage } from "../ipc/client";
import type { Draft, FlowDoc, OpenedFlow } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import { handOf, openInTab, showTab, tabOfFile, useTabs } from "./tabs";

/**
 * The delay between an edit and the write of its draft, in milliseconds. If the program is killed, at most
 * the edits made during this time are lost.
 */
const PAUSE_MS = 700;

/** The delay before a failed write of a draft is retried, in milliseconds. */
const AGAIN_MS = 10_000;

/**
 * The id of the message about a failed write; null if there is none. The message stays until a write
 * succeeds.
 */
let complaint: number | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let writing: Promise<void> = Promise.resolve();
/** The document that was last written as each draft, keyed by the id of the draft. */
const written = new Map<string, FlowDoc>();
let tabsWritten = "";

/**
 * Returns every file with unsaved changes in every tab. A file opened through a subflow counts separately.
 */
function unsavedFiles(): Pick<InHand, "id" | "root" | "path" | "version">[] {
  return useTabs.getState().tabs.flatMap((tab) => {
    const hand = handOf(tab);
    const editing = hand.suspended ?? hand;
    return [...editing.parents, editing].filter(unsaved);
  });
}

function openFiles(): { files: string[]; active: string | null } {
  const { tabs, active } = useTabs.getState();
  const pathOf = (tab: (typeof tabs)[number] | undefined) => {
    if (!tab) return null;
    const hand = handOf(tab);
    const editing = hand.suspended ?? hand;
    return (editing.parents[0] ?? editing).path;
  };
  return {
    files: tabs.flatMap((tab) => pathOf(tab) ?? []),
    active: pathOf(tabs.find((tab) => tab.id === active)),
  };
}

async function write(): Promise<void> {
  const files = unsavedFiles();
  try {
    for (const { id, root, path, version } of files) {
      if (written.get(id) === root) continue;
      await api().keepDraft(id, path, version, root);
      written.set(id, root);
    }
    const wanted = new Set(files.map(({ id }) => id));
    for (const id of [...written.keys()].filter((id) => !wanted.has(id))) {
      await api().dropDraft(id);
      written.delete(id);
    }
    const open = openFiles();
    const key = JSON.stringify(open);
    if (key !== tabsWritten) {
      await api().keepTabs(open.files, open.active);
      tabsWritten = key;
    }
    if (complaint !== null) useSession.getState().dismiss(complaint);
    complaint = null;
  } catch (error) {
    // Disk space may become free without another edit, so the write is retried.
    timer ??= setTimeout(() => void writeDrafts(), AGAIN_MS);
    complaint ??= useSession.getState().toast({
      tone: "warn",
      stays: true,
      title: "Drafts cannot be saved",
      detail: `Save your work to a file. ${errorMessage(error)}`,
    });
  }
}

/** Writes all pending drafts now. */
export function writeDrafts(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writing = writing.then(write);
  return writing;
}

/** Writes a draft after each change, until the returned function is called. */
export function keepDrafts(): () => void {
  const soon = () => {
    timer ??= setTimeout(() => void writeDrafts(), PAUSE_MS);
  };
  const stops = [
    useDocument.subscribe((s, before) => {
      // A saved document's draft is removed immediately. Otherwise the next window would offer it.
      if (s.savedState !== before.savedState || s.path !== before.path) void writeDrafts();
      else if (s.root !== before.root) soon();
    }),
    useTabs.subscribe(soon),
  ];
  return () => {
    clearTimeout(timer);
    timer = undefined;
    for (const stop of stops) stop();
  };
}

/**
 * Removes all drafts when the window closes, because the user has already decided to discard the unsaved
 * work.
 */
export async function forgetDrafts(): Promise<void> {
  await writeDrafts();
  for (const id of [...written.keys()]) {
    // A draft that cannot be removed is offered again at the next start, so nothing is lost.
    await api()
      .dropDraft(id)
      .catch(() => undefined);
    written.delete(id);
  }
}

/** The drafts of earlier windows that the user has neither restored nor discarded. */
export const useLeftDrafts = create<{ drafts: readonly Draft[] }>()(() => ({ drafts: [] }));

/** Reads a file that was open in the last window. If it cannot be read, shows a message and returns null. */
function readAgain(path: string): Promise<OpenedFlow | null> {
  return api()
    .openFlow(path)
    .catch((error: unknown) => {
      useSession.getState().toast({
        tone: "warn",
        title: `“${fileName(path, undefined)}” could not be reopened`,
        detail: errorMessage(error),
      });
      return null;
    });
}

/** Opens a file that was open in the last window. If it cannot be read, shows a message and returns false. */
export async function openPathAgain(path: string): Promise<boolean> {
  const flow = await readAgain(path);
  if (flow !== null) openInTab(flow);
  return flow !== null;
}

/** Restores the session of the last window. A failure never keeps this window from opening. */
export async function restoreSession(): Promise<void> {
  const { toast } = useSession.getState();
  try {
    const { files, active, drafts, notes } = await api().session();
    for (const title of notes) toast({ tone: "warn", title });
    const opened = await Promise.all(files.map(readAgain));
    for (const flow of opened) {
      if (!flow) continue;
      openInTab(flow);
      showNotes(flow);
    }
    const front = active === null ? null : tabOfFile(active);
    if (front !== null) showTab(front);
    if (opened.some((flow) => flow !== null)) useSession.getState().show("editor");
    useLeftDrafts.setState({ drafts });
  } catch (error) {
    toast({ tone: "error", title: "The last session could not be restored", detail: errorMessage(error) });
  }
}

const removeLeftDraft = (id: string) =>
  useLeftDrafts.setState((s) => ({ drafts: s.drafts.filter((draft) => draft.id !== id) }));

/**
 * Opens a draft as unsaved changes of its file. If the file on disk is still the version that was edited,
 * undo returns to its content.
 */
export function openDraft(draft: Draft): void {
  const document = draft.document as FlowDoc;
  const { id, path, version } = draft;
  const same = draft.saved !== null && draft.savedVersion === version;
  const open = path === null ? null : tabOfFile(path);
  if (open !== null) showTab(open);
  if (same) {
    if (open === null) openInTab({ document: draft.saved as FlowDoc, path, version, id });
    useDocument.getState().edit(() => document, { label: "Restore the draft" });
  } else if (open !== null) useDocument.getState().open({ document, path, version, id, unsaved: true });
  else openInTab({ document, path, version, id, unsaved: true });
}

/** Opens a draft of an earlier window. */
export async function restoreDraft(draft: Draft): Promise<void> {
  const { id } = draft;
  openDraft(draft);
  useSession.getState().show("editor");
  await writeDrafts();
  // A document that is open under the draft's id continues to use the draft. Otherwise a new draft has
  // replaced this one.
  if (useDocument.getState().id === id) removeLeftDraft(id);
  else await dropLeft(draft);
}

/** Discards a draft of an earlier window. Shows a message if that fails. */
export async function dropLeft(draft: Draft): Promise<void> {
  removeLeftDraft(draft.id);
  try {
    await api().dropDraft(draft.id);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The draft could not be discarded", detail: errorMessage(error) });
  }
}

/** Postpones the decision about the drafts. They are offered again at the next start. */
export const postponeLeftDrafts = (): void => useLeftDrafts.setState({ drafts: [] });
