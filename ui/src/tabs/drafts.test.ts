// Drafts: written after an edit, removed by a save, found by the next window.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isDirty, useDocument } from "../document/document";
import { setField } from "../document/edits";
import { openPath, saveDocument } from "../document/files";
import { type Backend, replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useSession } from "../session/session";
import {
  dropLeft,
  forgetDrafts,
  keepDrafts,
  restoreDraft,
  restoreSession,
  useLeftDrafts,
  writeDrafts,
} from "./drafts";
import { lookOutside } from "./outside";
import { handOf, openInTab, useTabs } from "./tabs";

const FILE = "/flows/self-refine.loop";
let backend: Backend;
let stop: () => void;
const rename = (name: string) => useDocument.getState().edit(setField("name", name), { label: "Rename" });
const drafts = async () => (await backend.session()).drafts;
const names = () => useTabs.getState().tabs.map((tab) => handOf(tab).root.name);

/** Resets the window to its initial state. */
function begin() {
  useSession.setState({ toasts: [] });
  useLeftDrafts.setState({ drafts: [] });
  const id = `t${Math.random().toString(36).slice(2)}`;
  useTabs.setState({ tabs: [{ id, inactive: null }], active: id });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
}

beforeEach(async () => {
  begin();
  replaceBackend(testBackend());
  await writeDrafts();
  backend = testBackend();
  replaceBackend(backend);
  stop = keepDrafts();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

describe("drafts", () => {
  it("are kept soon after an edit, without anybody asking", async () => {
    vi.useFakeTimers();
    await openPath(FILE);
    rename("Mine");
    expect(await drafts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await drafts()).toMatchObject([{ path: FILE, version: "1", document: { name: "Mine" } }]);
    expect(await backend.session()).toMatchObject({ files: [FILE], active: FILE });
  });

  it("go as the file is saved: a window that ends at once leaves none", async () => {
    vi.useFakeTimers();
    await openPath(FILE);
    rename("Mine");
    await writeDrafts();
    expect(await drafts()).toHaveLength(1);
    await saveDocument();
    await vi.advanceTimersByTimeAsync(0);
    expect(await drafts()).toEqual([]);
  });

  it("go when the file is saved, or the edit is undone", async () => {
    await openPath(FILE);
    rename("Mine");
    await writeDrafts();
    expect(await drafts()).toHaveLength(1);
    useDocument.getState().undo();
    await writeDrafts();
    expect(await drafts()).toEqual([]);
    rename("Again");
    await writeDrafts();
    await saveDocument();
    await writeDrafts();
    expect(await drafts()).toEqual([]);
  });

  it("of every tab are there for the next window, with its files", async () => {
    await openPath(FILE);
    rename("Mine");
    openInTab({ document: { name: "New", nodes: [], edges: [] }, path: null, version: null });
    rename("Newer");
    await writeDrafts();
    begin();
    await restoreSession();
    expect(names()).toEqual(["Self-Refine"]);
    expect(useSession.getState().view).toBe("editor");
    const left = [...useLeftDrafts.getState().drafts];
    expect(left.map((draft) => draft.document.name).sort()).toEqual(["Mine", "Newer"]);
    for (const draft of left) await restoreDraft(draft);
    expect(names().sort()).toEqual(["Mine", "Newer"]);
    expect(useTabs.getState().tabs.every((tab) => isDirty(handOf(tab)))).toBe(true);
    expect(useLeftDrafts.getState().drafts).toEqual([]);
    // The drafts are written again, each of them once.
    expect(await drafts()).toHaveLength(2);
  });

  it("lie over their file as an edit that can be undone", async () => {
    await openPath(FILE);
    rename("Mine");
    await writeDrafts();
    begin();
    await restoreSession();
    const [draft] = useLeftDrafts.getState().drafts;
    if (draft) await restoreDraft(draft);
    expect(useDocument.getState()).toMatchObject({ path: FILE, root: { name: "Mine" } });
    useDocument.getState().undo();
    expect(useDocument.getState().root.name).toBe("Self-Refine");
    expect(isDirty(useDocument.getState())).toBe(false);
  });

  it("of a file that was changed since save only after a question", async () => {
    await openPath(FILE);
    rename("Mine");
    await writeDrafts();
    await backend.saveFlow(FILE, { name: "Theirs", nodes: [], edges: [] }, "1");
    begin();
    await restoreSession();
    const [draft] = useLeftDrafts.getState().drafts;
    if (draft) await restoreDraft(draft);
    expect(useDocument.getState()).toMatchObject({ path: FILE, version: "1", root: { name: "Mine" } });
    expect(isDirty(useDocument.getState())).toBe(true);
  });

  it("that were given up are gone", async () => {
    rename("A");
    await writeDrafts();
    begin();
    await restoreSession();
    const [draft] = useLeftDrafts.getState().drafts;
    if (draft) await dropLeft(draft);
    expect(await drafts()).toEqual([]);
    rename("B");
    await forgetDrafts();
    expect(await drafts()).toEqual([]);
  });

  it("that cannot be written are said once, and tried again until they can", async () => {
    vi.useFakeTimers();
    replaceBackend({ ...backend, keepDraft: () => Promise.reject(new Error("The disk is full.")) });
    rename("A");
    await writeDrafts();
    rename("B");
    await writeDrafts();
    expect(useSession.getState().toasts).toMatchObject([{ title: "Drafts cannot be saved", stays: true }]);
    replaceBackend(backend);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect((await drafts()).map((draft) => (draft.document as FlowDoc).name)).toEqual(["B"]);
    expect(useSession.getState().toasts).toEqual([]);
  });
});

describe("a file that another program changes", () => {
  it("is said once, and read again when that is wanted", async () => {
    await openPath(FILE);
    await lookOutside();
    expect(useSession.getState().toasts).toEqual([]);
    await backend.saveFlow(FILE, { name: "Theirs", nodes: [], edges: [] }, "1");
    await lookOutside();
    await lookOutside();
    const [toast, ...more] = useSession.getState().toasts;
    expect(more).toEqual([]);
    toast?.actions[0]?.run();
    await vi.waitFor(() => expect(useDocument.getState().root.name).toBe("Theirs"));
    expect(useSession.getState().toasts).toEqual([]);
  });
});
