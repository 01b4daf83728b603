// Text typed for a run belongs to one document. It moves with the document to its file and never to another
// one.
import { beforeEach, expect, test, vi } from "vitest";
import { useDocument } from "../../document/document";
import { setField } from "../../document/edits";
import { saveAs, saveDocument } from "../../document/files";
import { type Backend, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { restoreDraft, restoreSession, useLeftDrafts, writeDrafts } from "../../tabs/drafts";
import { openInTab, showTab, useTabs } from "../../tabs/tabs";
import { fileInHand, usePins } from "./pins";
import { keyInHand, typedInHand, useRunInputs } from "./typed-inputs";

const flow = (name = "Untitled") => ({ name, nodes: [], edges: [] });
const open = () =>
  openInTab({
    document: {
      name: "Untitled",
      nodes: [{ id: "n", type: "input", position: { x: 0, y: 0 }, data: {} }],
      edges: [],
    },
    path: null,
    version: null,
  });
const type = (value: string) => useRunInputs.getState().set(keyInHand(), "text", value);
let backend: Backend;

beforeEach(() => {
  backend = testBackend();
  replaceBackend(backend);
  localStorage.clear();
  useRunInputs.setState({ typed: {} });
  usePins.setState({ byFile: {} });
  useTabs.setState((s) => ({
    tabs: [{ id: "first", inactive: null }].slice(0, s.tabs.length || 1),
    active: "first",
  }));
  useDocument.getState().open({ document: flow(), path: null, version: null });
});

test("is remembered per file, and forgotten when reset", () => {
  const { set } = useRunInputs.getState();
  set("/a.json", "text", "one");
  set("/b.json", "text", "two");
  expect(useRunInputs.getState().typed).toEqual({ "/a.json": { text: "one" }, "/b.json": { text: "two" } });
  expect(JSON.parse(localStorage.getItem("loopwright.runInputs") ?? "")).toEqual(
    useRunInputs.getState().typed,
  );
  set("/a.json", "text", null);
  expect(useRunInputs.getState().typed["/a.json"]).toEqual({});
});

test("is there after the first save, which names an untitled workflow after its file", async () => {
  open();
  type("mine");
  usePins.getState().set(fileInHand(), "n", 1);
  backend.pickSave = async () => "/flows/essay.flow.json";
  expect(await saveAs()).toBe(true);
  expect(useDocument.getState().root.name).toBe("essay");
  expect(typedInHand()).toEqual({ text: "mine" });
  expect(usePins.getState().byFile).toEqual({ "/flows/essay.flow.json": { n: 1 } });
  expect(Object.keys(useRunInputs.getState().typed)).toEqual(["/flows/essay.flow.json"]);
});

test("goes to another file as well, and takes the place of what another workflow had there", async () => {
  useRunInputs.getState().set("/flows/b.json", "other", "theirs");
  open();
  type("mine");
  for (const path of ["/flows/a.json", "/flows/b.json"]) {
    backend.pickSave = async () => path;
    await saveAs();
  }
  await saveDocument();
  expect(useRunInputs.getState().typed).toEqual({
    "/flows/a.json": { text: "mine" },
    "/flows/b.json": { text: "mine" },
  });
  // A workflow without typed text starts empty.
  open();
  backend.pickSave = async () => "/flows/b.json";
  await saveAs();
  expect(typedInHand()).toEqual({});
});

test("is not shared by workflows without a file, whatever they are called", () => {
  open();
  const { active } = useTabs.getState();
  type("one");
  open();
  expect(typedInHand()).toEqual({});
  type("two");
  useDocument.getState().edit(setField("name", "Same"), { label: "Rename" });
  expect(typedInHand()).toEqual({ text: "two" });
  showTab(active);
  expect(typedInHand()).toEqual({ text: "one" });
});

test("of an older version, by title, is given to nobody", async () => {
  localStorage.setItem(
    "loopwright.runInputs",
    JSON.stringify({
      "unsaved:Untitled": { text: "old" },
      "unsaved:": { text: "old" },
      "/a.json": { text: "a" },
    }),
  );
  vi.resetModules();
  const again = await import("./typed-inputs");
  expect(again.useRunInputs.getState().typed).toEqual({ "/a.json": { text: "a" } });
});

test("comes back with a recovered draft, and not with a new workflow", async () => {
  open();
  type("mine");
  useDocument.getState().edit(setField("name", "Draft"), { label: "Rename" });
  await writeDrafts();
  // The program is restarted.
  useTabs.setState({ tabs: [{ id: "later", inactive: null }], active: "later" });
  useDocument.getState().open({ document: flow(), path: null, version: null });
  await restoreSession();
  open();
  expect(typedInHand()).toEqual({});
  const [draft] = useLeftDrafts.getState().drafts;
  if (draft) await restoreDraft(draft);
  expect(useDocument.getState().root.name).toBe("Draft");
  expect(typedInHand()).toEqual({ text: "mine" });
  expect(useLeftDrafts.getState().drafts).toEqual([]);
  await writeDrafts();
  expect((await backend.session()).drafts).toHaveLength(1);
  // Saving works as before after that.
  backend.pickSave = async () => "/flows/draft.json";
  await saveDocument();
  await writeDrafts();
  expect((await backend.session()).drafts).toEqual([]);
  expect(typedInHand()).toEqual({ text: "mine" });
});

test("many workflows without a file never push out what was typed for files", () => {
  const { set } = useRunInputs.getState();
  set("/a.json", "text", "kept");
  for (let i = 0; i < 60; i++) set(`unsaved:${i}-1-abc`, "text", "x");
  const { typed } = useRunInputs.getState();
  expect(typed["/a.json"]).toEqual({ text: "kept" });
  expect(Object.keys(typed)).toHaveLength(21);
});

test("another window's texts stay", () => {
  const { set } = useRunInputs.getState();
  set("/a.json", "text", "here");
  localStorage.setItem(
    "loopwright.runInputs",
    JSON.stringify({ "/a.json": { text: "here" }, "/b.json": { text: "there" } }),
  );
  set("/a.json", "text", "here too");
  expect(JSON.parse(localStorage.getItem("loopwright.runInputs") ?? "{}")).toEqual({
    "/a.json": { text: "here too" },
    "/b.json": { text: "there" },
  });
});
