// Drafts: what is not saved is written to the data folder a moment after each edit, so that it outlives a killed
// program. The session of the last window is restored at the start: its files as tabs, its drafts as an offer.
import { create } from "zustand";
import { fileName, type InHand, unsaved, useDocument } from "../document/document";
import { showNotes } from "../document/files";
import { api, errorMessage } from "../ipc/client";
import type { Draft, FlowDoc, OpenedFlow } from "../ipc/generated/bindings";
import { useSession } from "../session/session";
import { handOf, openInTab, showTab, tabOfFile, useTabs } from "./tabs";

/** From an edit to its draft, in milliseconds: what a killed program can lose. */
const PAUSE_MS = 700;

/** From a draft that could not be written to the next try, in milliseconds. */
const AGAIN_MS = 10_000;

/** The message that something could not be written: it is there until it goes well again. */
let complaint: number | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let writing: Promise<void> = Promise.resolve();
/** Documents as they were written last, by draft. */
const written = new Map<string, FlowDoc>();
let tabsWritten = "";

/** Every file of every tab that is not saved. A file further in has a draft of its own. */
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
    // Room may be made meanwhile, and nobody may edit anything again.
    timer ??= setTimeout(() => void writeDrafts(), AGAIN_MS);
    complaint ??= useSession.getState().toast({
      tone: "warn",
      stays: true,
      title: "Drafts cannot be kept",
      detail: `Save your work to a file. ${errorMessage(error)}`,
    });
  }
}

/** Writes what is not written yet, now. */
export function writeDrafts(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writing = writing.then(write);
  return writing;
}

/** Keeps drafts from now on. Returns what stops it. */
export function keepDrafts(): () => void {
  const soon = () => {
    timer ??= setTimeout(() => void writeDrafts(), PAUSE_MS);
  };
  const stops = [
    useDocument.subscribe((s, before) => {
      // What was just saved needs no draft any more: one that stayed would be offered by the next window.
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

/** The window closes: what is not saved now was given up, so nothing of it is kept. */
export async function forgetDrafts(): Promise<void> {
  await writeDrafts();
  for (const id of [...written.keys()]) {
    // A draft that stays is offered again, which is the safe way to fail.
    await api()
      .dropDraft(id)
      .catch(() => undefined);
    written.delete(id);
  }
}

/** The drafts that earlier windows left, until the person has decided. */
export const useLeftDrafts = create<{ drafts: readonly Draft[] }>()(() => ({ drafts: [] }));

/** Reads a file that was open before; null, with a message, where it cannot be read. */
function readAgain(path: string): Promise<OpenedFlow | null> {
  return api()
    .openFlow(path)
    .catch((error: unknown) => {
      useSession.getState().toast({
        tone: "warn",
        title: `“${fileName(path, undefined)}” was not opened again`,
        detail: errorMessage(error),
      });
      return null;
    });
}

/** Opens a file that was open before. False where it cannot be read. */
export async function openPathAgain(path: string): Promise<boolean> {
  const flow = await readAgain(path);
  if (flow !== null) openInTab(flow);
  return flow !== null;
}

/** Restores the session of the last window. Nothing of it keeps this window from opening. */
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
    toast({ tone: "error", title: "What was open last is not known", detail: errorMessage(error) });
  }
}

const removeLeftDraft = (id: string) =>
  useLeftDrafts.setState((s) => ({ drafts: s.drafts.filter((draft) => draft.id !== id) }));

/** Opens a draft as what it was: an unsaved version of its file. Where the file is still the same, undo goes back to it. */
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

/** Opens a draft that an earlier window left. */
export async function restoreDraft(draft: Draft): Promise<void> {
  const { id } = draft;
  openDraft(draft);
  useSession.getState().show("editor");
  await writeDrafts();
  // What is in hand with the id of the draft keeps it. Else it goes, once another has taken its place.
  if (useDocument.getState().id === id) removeLeftDraft(id);
  else await dropLeft(draft);
}

/** Gives a draft up. */
export async function dropLeft(draft: Draft): Promise<void> {
  removeLeftDraft(draft.id);
  try {
    await api().dropDraft(draft.id);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The draft is still there", detail: errorMessage(error) });
  }
}

/** Puts the question off: the drafts stay where they are, for the next start. */
export const postponeLeftDrafts = (): void => useLeftDrafts.setState({ drafts: [] });
