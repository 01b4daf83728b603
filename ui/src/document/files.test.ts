// Opening, saving, the confirmation before unsaved work is closed, and files that changed on disk.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiFailure, type Backend, replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { failure } from "../ipc/testing/failures";
import { useDialog } from "../session/dialog";
import { useSession } from "../session/session";
import { openInTab, useTabs } from "../tabs/tabs";
import { isDirty, useDocument } from "./document";
import { setField } from "./edits";
import { confirmDiscard, openPath, openTemplate, reloadDocument, saveAs, saveDocument } from "./files";

const FILE = "/flows/self-refine.loop";
let backend: Backend;

const rename = (name: string) => useDocument.getState().edit(setField("name", name), { label: "Rename" });
const dirty = () => isDirty(useDocument.getState());

/** Answers the next dialog and returns its title. */
async function answer(value: string): Promise<string> {
  for (let i = 0; i < 50 && !useDialog.getState().open; i++) await Promise.resolve();
  const open = useDialog.getState().open;
  if (!open) throw new Error("no question was asked");
  open.answer(value);
  return open.question.title;
}

beforeEach(() => {
  backend = testBackend();
  replaceBackend(backend);
  useDialog.setState({ open: null });
  useSession.setState({ toasts: [] });
  useTabs.setState({ tabs: [{ id: "first", inactive: null }], active: "first" });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
});

describe("templates", () => {
  const called = async (id: string) => {
    const template = (await backend.templates()).find((one) => one.id === id);
    if (!template) throw new Error(`no template ${id}`);
    return template;
  };

  it("opens a template without a file, unless it works on an example project", async () => {
    await openTemplate(await called("self-refine"));
    expect(useDocument.getState()).toMatchObject({ path: null, root: { name: "Self-Refine" } });
    await openTemplate(await called("fix-until-green"));
    expect(useDocument.getState().path).toBe("/flows/fix-until-green/fix-until-green.flow.json");
    expect(useSession.getState().toasts.at(-1)?.title).toContain("example project");
  });

  it("copies nothing if no folder is chosen, and says why a copy failed", async () => {
    const copyTemplate = vi.fn(async () =>
      Promise.reject(new ApiFailure({ code: "io", message: "The disk is full." })),
    );
    replaceBackend({ ...backend, pickFolder: async () => null, copyTemplate });
    await openTemplate(await called("ralph"));
    expect(copyTemplate).not.toHaveBeenCalled();
    replaceBackend({ ...backend, copyTemplate });
    await openTemplate(await called("ralph"));
    expect(useSession.getState().toasts.at(-1)?.detail).toBe("The disk is full.");
    expect(useDocument.getState().path).toBeNull();
  });
});

describe("files", () => {
  it("opens a file, is clean, becomes dirty, and is clean again once saved", async () => {
    expect(await openPath(FILE)).toBe(true);
    expect(useDocument.getState()).toMatchObject({ path: FILE, version: "1" });
    expect(dirty()).toBe(false);
    rename("Other");
    expect(dirty()).toBe(true);
    expect(await saveDocument()).toBe(true);
    expect(dirty()).toBe(false);
    expect((await backend.openFlow(FILE)).document.name).toBe("Other");
    useDocument.getState().undo();
    expect(dirty()).toBe(true);
  });

  it("saves the flow that the notice is about, although another is in front", async () => {
    await openPath(FILE);
    rename("Mine");
    const refuse = async () => Promise.reject(new ApiFailure({ code: "io", message: "The disk is full." }));
    replaceBackend({ ...backend, saveFlow: refuse });
    expect(await saveDocument()).toBe(false);
    const notice = useSession.getState().toasts.at(-1);
    expect(notice?.detail).toBe("The disk is full.");
    openInTab({ document: { name: "Other", nodes: [], edges: [] }, path: null, version: null });
    expect(useDocument.getState().root.name).toBe("Other");
    replaceBackend({ ...backend, pickSave: async () => "/flows/kept.flow.json" });
    notice?.actions[0]?.run();
    await vi.waitFor(() => expect(useDocument.getState().path).toBe("/flows/kept.flow.json"));
    expect((await backend.openFlow("/flows/kept.flow.json")).document.name).toBe("Mine");
    expect(useSession.getState().toasts).not.toContain(notice);
  });

  it("names a workflow after its file, unless it has a name", async () => {
    const saved = async (name: string, path: string) => {
      useDocument.getState().open({ document: { name, nodes: [], edges: [] }, path: null, version: null });
      replaceBackend({ ...backend, pickSave: async () => path });
      expect(await saveAs()).toBe(true);
      return (await backend.openFlow(path)).document.name;
    };
    expect(await saved("Untitled", "/flows/essay.flow.json")).toBe("essay");
    expect(useDocument.getState().root.name).toBe("essay");
    expect(dirty()).toBe(false);
    expect(await saved("", "C:\\flows\\letter.loop")).toBe("letter");
    expect(await saved("Self-Refine", "/flows/mine.flow.json")).toBe("Self-Refine");
  });

  it("says once that a flow was not saved, with the last reason", async () => {
    await openPath(FILE);
    rename("Mine");
    for (const message of ["The disk is full.", "It may not be written."]) {
      const saveFlow = async () => Promise.reject(new ApiFailure({ code: "io", message }));
      replaceBackend({ ...backend, saveFlow });
      expect(await saveDocument()).toBe(false);
    }
    expect(useSession.getState().toasts.map(({ detail }) => detail)).toEqual(["It may not be written."]);
    replaceBackend(backend);
    expect(await saveDocument()).toBe(true);
    expect(useSession.getState().toasts).toEqual([]);
  });

  it("is not as it is saved where a file that is read again gives an id twice", async () => {
    await openPath(FILE);
    rename("Mine");
    const { document } = await backend.openFlow(FILE);
    const [first] = document.nodes;
    const doubled = { ...document, nodes: [...document.nodes, ...(first ? [first] : [])] };
    const openFlow = async (path: string) => ({ ...(await backend.openFlow(path)), document: doubled });
    replaceBackend({ ...backend, openFlow });
    await reloadDocument(FILE);
    const ids = useDocument.getState().document.nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(doubled.nodes.length);
    expect(dirty()).toBe(true);
    expect(useSession.getState().toasts.at(-1)).toMatchObject({ tone: "warn", stays: true });
    replaceBackend(backend);
    await reloadDocument(FILE);
    expect(dirty()).toBe(false);
  });

  it("reads a file that is open again when it is opened, unless it was changed here", async () => {
    await openPath(FILE);
    const changed = { ...(await backend.openFlow(FILE)).document, name: "From outside" };
    const openFlow = async (path: string) => ({
      ...(await backend.openFlow(path)),
      document: changed,
      version: "9",
    });
    replaceBackend({ ...backend, openFlow });
    rename("Mine");
    await openPath(FILE);
    expect(useDocument.getState().document.name).toBe("Mine");
    useDocument.getState().undo();
    await openPath(FILE);
    expect(useDocument.getState()).toMatchObject({ version: "9", document: { name: "From outside" } });
  });

  it("says what went wrong and keeps the document when a file cannot be opened", async () => {
    rename("Mine");
    useDocument.getState().markSaved({ path: "/mine.loop", version: "1", state: 1, at: 0 });
    expect(await openPath("/none.loop")).toBe(false);
    expect(useDocument.getState().document.name).toBe("Mine");
    expect(useSession.getState().toasts.at(-1)).toMatchObject({ tone: "error", stays: true });
    const empty = failure("emptyFile", "/none.loop");
    replaceBackend({ ...backend, openFlow: () => Promise.reject(empty) });
    expect(await openPath("/none.loop")).toBe(false);
    // The title names the file, so the detail does not repeat it.
    expect(useSession.getState().toasts.at(-1)?.detail).toBe(empty.reason);
    expect(empty.message).toContain("none.loop");
  });

  it("asks before unsaved work is closed", async () => {
    expect(await confirmDiscard()).toBe(true);
    rename("Draft");
    const kept = confirmDiscard();
    expect(await answer("cancel")).toContain("Draft");
    expect(await kept).toBe(false);
    expect(useDocument.getState().document.name).toBe("Draft");
    const saved = confirmDiscard();
    await answer("save");
    expect(await saved).toBe(true);
    expect(useDocument.getState().path).toBe("/flows/draft.flow.json");
    rename("Draft 2");
    const gone = confirmDiscard();
    await answer("discard");
    expect(await gone).toBe(true);
  });

  it("never overwrites another program's change without a question", async () => {
    await openPath(FILE);
    const theirs = (await backend.openFlow(FILE)).document;
    await backend.saveFlow(FILE, { ...theirs, name: "Theirs" }, "1");
    rename("Mine");
    const first = saveDocument();
    await answer("cancel");
    expect(await first).toBe(false);
    expect((await backend.openFlow(FILE)).document.name).toBe("Theirs");
    const second = saveDocument();
    await answer("replace");
    expect(await second).toBe(true);
    expect((await backend.openFlow(FILE)).document.name).toBe("Mine");
  });

  it("takes back what was given up for another program's change", async () => {
    await openPath(FILE);
    const theirs = (await backend.openFlow(FILE)).document;
    await backend.saveFlow(FILE, { ...theirs, name: "Theirs" }, "1");
    rename("Mine");
    const saving = saveDocument();
    await answer("theirs");
    expect(await saving).toBe(false);
    expect([useDocument.getState().document.name, dirty()]).toEqual(["Theirs", false]);
    useDocument.getState().undo();
    expect([useDocument.getState().document.name, dirty()]).toEqual(["Mine", true]);
    expect(await saveDocument()).toBe(true);
    expect((await backend.openFlow(FILE)).document.name).toBe("Mine");
  });

  it("stays dirty when the file dialog is cancelled", async () => {
    replaceBackend({ ...backend, pickSave: async () => null });
    rename("Draft");
    expect(await saveAs()).toBe(false);
    expect(dirty()).toBe(true);
  });
});
