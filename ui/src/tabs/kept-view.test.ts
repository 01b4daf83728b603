// A page that replaces a crashed one: the same tabs, drafts and runs.
import { beforeEach, expect, test, vi } from "vitest";
import { isDirty, useDocument } from "../document/document";
import { setField } from "../document/edits";
import { openPath } from "../document/files";
import { useKinds } from "../document/kinds";
import { type Backend, replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { agenticSearch } from "../ipc/testing/flows";
import { keyInHand, typedInHand, useRunInputs } from "../runs/inputs/typed-inputs";
import { useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import { useLeftDrafts, writeDrafts } from "./drafts";
import { keepView, restoreView, viewBefore } from "./kept-view";
import { handOf, openInTab, showTab, useTabs } from "./tabs";

const FILE = "/flows/self-refine.loop";
let backend: Backend;
let kept: string | null = null;

/** Resets the page to its initial state. */
function begin() {
  useSession.setState({ toasts: [], view: "gallery", layout: "edit" });
  useLeftDrafts.setState({ drafts: [] });
  const id = `t${Math.random().toString(36).slice(2)}`;
  useTabs.setState({ tabs: [{ id, inactive: null }], active: id });
  useRuns.setState({ live: null, past: null, background: {} });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
}

beforeEach(async () => {
  begin();
  backend = {
    ...testBackend(),
    keepView: async (view) => {
      kept = view;
    },
    restoredView: async () => (kept === null ? null : { view: kept, crashed: true }),
  };
  kept = null;
  replaceBackend(backend);
  await writeDrafts();
  await useKinds.getState().load();
});

async function crash() {
  const stop = keepView();
  await vi.waitFor(() => expect(kept).not.toBeNull());
  stop();
  await writeDrafts();
  begin();
  const before = await viewBefore();
  if (before === null) throw new Error("Nothing was kept.");
  await restoreView(before);
}

test("the first page of a window has none before it", async () => {
  expect(await viewBefore()).toBeNull();
});

test("opens files, drafts and what nobody has edited yet, in their order", async () => {
  await openPath(FILE);
  const { active } = useTabs.getState();
  openInTab({ document: { ...agenticSearch, name: "Template" }, path: null, version: null });
  useRunInputs.getState().set(keyInHand(), "question", "mine");
  openInTab({ document: { name: "New", nodes: [], edges: [] }, path: null, version: null });
  useDocument.getState().edit(setField("name", "Newer"), { label: "Rename" });
  showTab(active);
  useDocument.getState().edit(setField("name", "Mine"), { label: "Rename" });
  useSession.getState().show("editor");
  await crash();
  const { tabs } = useTabs.getState();
  expect(tabs.map((tab) => handOf(tab).root.name)).toEqual(["Mine", "Template", "Newer"]);
  expect(tabs.map((tab) => isDirty(handOf(tab)))).toEqual([true, false, true]);
  expect(useDocument.getState()).toMatchObject({ path: FILE, root: { name: "Mine" } });
  expect(useSession.getState().view).toBe("editor");
  expect(useLeftDrafts.getState().drafts).toEqual([]);
  expect(useSession.getState().toasts.map(({ title }) => title)).toEqual([
    "The view crashed and was restored",
  ]);
  useDocument.getState().undo();
  expect(useDocument.getState().root.name).toBe("Self-Refine");
  showTab(tabs[1]?.id ?? "");
  expect(typedInHand()).toEqual({ question: "mine" });
});

test("follows a run that continued", async () => {
  await openPath(FILE);
  const { root } = useDocument.getState();
  const prepared = await backend.prepareRun(root, FILE, {}, null);
  useSession.getState().show("editor");
  useSession.getState().setLayout("run");
  const runId = await useRuns.getState().start({ id: prepared.id, document: root, flowPath: FILE });
  await crash();
  expect(useRuns.getState().live?.state.runId).toBe(runId);
  expect(useSession.getState().layout).toBe("run");
  expect(useSession.getState().toasts[0]?.detail).toContain("1 run continued.");
  await useRuns.getState().stop();
  await vi.waitFor(() => expect(useRuns.getState().live?.state.status).toBe("cancelled"), 5000);
});

test("follows a run that had just begun, of which the page could not say anything any more", async () => {
  await openPath(FILE);
  const { root } = useDocument.getState();
  const prepared = await backend.prepareRun(root, FILE, {}, null);
  const stop = keepView();
  await vi.waitFor(() => expect(kept).not.toBeNull());
  stop();
  const runId = await backend.startRun(prepared.id, () => {});
  begin();
  const before = await viewBefore();
  if (before !== null) await restoreView(before);
  expect(useRuns.getState().live?.state.runId).toBe(runId);
  expect(useSession.getState().toasts[0]?.detail).toContain("1 run continued.");
  await backend.stopRun(runId);
});

test("what cannot be restored leaves a window that can be used", async () => {
  await openPath(FILE);
  const stop = keepView();
  await vi.waitFor(() => expect(kept).not.toBeNull());
  stop();
  begin();
  const before = await viewBefore();
  replaceBackend({ ...backend, session: () => Promise.reject(new Error("The disk is gone.")) });
  if (before !== null) await restoreView(before);
  expect(useSession.getState().toasts[0]?.title).toBe("The view could not be restored");
});

test("says what is gone, and opens the rest", async () => {
  await openPath(FILE);
  openInTab({ document: { ...agenticSearch, name: "Template" }, path: null, version: null });
  const open = backend.openFlow;
  const stop = keepView();
  await vi.waitFor(() => expect(kept).not.toBeNull());
  stop();
  begin();
  replaceBackend({
    ...backend,
    openFlow: (path) => (path === FILE ? Promise.reject(new Error("gone")) : open(path)),
  });
  const before = await viewBefore();
  if (before !== null) await restoreView(before);
  expect(useTabs.getState().tabs.map((tab) => handOf(tab).root.name)).toEqual(["Template"]);
  expect(useSession.getState().toasts.map(({ title }) => title)).toContain(
    "“self-refine.loop” could not be reopened",
  );
});
