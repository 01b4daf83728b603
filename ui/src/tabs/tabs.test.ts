// Several flows in one window: each keeps its own state while another is active.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isDirty, useDocument } from "../document/document";
import { setField } from "../document/edits";
import { openPath, saveDocument } from "../document/files";
import { isQuiet, useAsked } from "../document/quiet";
import { type Backend, replaceBackend } from "../ipc/client";
import type { FlowDoc, RunEvent } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { runDetail, runSummary } from "../ipc/testing/values";
import { emptyRun } from "../runs/fold/reduce";
import { events, refine } from "../runs/fold/samples";
import { isUnfinished, useRuns } from "../runs/session/store";
import { useChosenIteration } from "../session/chosen-iteration";
import { useDialog } from "../session/dialog";
import { useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import { closeTab, confirmCloseWindow } from "./closing";
import { lookOutside } from "./outside";
import { showTabOfRun } from "./run-tab";
import { addTab, handOf, moveTab, neighbourTab, openInTab, showTab, tabOfCopy, useTabs } from "./tabs";

const flow = (name: string): FlowDoc => ({
  name,
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
});
const open = (name: string) => openInTab({ document: flow(name), path: null, version: null });
const FILE = "/flows/agentic-search.loop";
const names = () => useTabs.getState().tabs.map((tab) => handOf(tab).root.name);
const inFront = () => useDocument.getState().document.name;
const rename = (name: string) => useDocument.getState().edit(setField("name", name), { label: "Rename" });
const idOf = (name: string) =>
  useTabs.getState().tabs.find((tab) => handOf(tab).root.name === name)?.id ?? "";
let backend: Backend;

async function answer(value: string): Promise<string> {
  await vi.waitFor(() => expect(useDialog.getState().open).not.toBeNull());
  const asked = useDialog.getState().open;
  asked?.answer(value);
  return asked?.question.title ?? "";
}

beforeEach(() => {
  backend = testBackend();
  replaceBackend(backend);
  useDialog.setState({ open: null });
  useRuns.setState({ live: null, past: null, starting: false, stopping: false, background: {} });
  useDocument.getState().open({ document: { nodes: [], edges: [] }, path: null, version: null });
  useTabs.setState({ tabs: [{ id: "first", inactive: null }], active: "first" });
});

describe("tabs", () => {
  it("keep apart what each was asked for", () => {
    const isQuietNow = () =>
      isQuiet({ code: "missing_field", node: "draft", place: null }, useAsked.getState());
    open("One");
    expect(isQuietNow()).toBe(true);
    useSession.getState().openDock("problems");
    expect(isQuietNow()).toBe(false);
    // The problems stay requested after the list is closed.
    useSession.setState({ dockOpen: false });
    open("Two");
    expect(isQuietNow()).toBe(true);
    showTab(idOf("One"));
    expect(isQuietNow()).toBe(false);
    showTab(idOf("Two"));
    expect(isQuietNow()).toBe(true);
  });
  it("whose file is gone are asked about, active and inactive", async () => {
    await openPath(FILE);
    const id = useTabs.getState().active;
    replaceBackend({ ...backend, fileVersion: async () => null });
    await lookOutside();
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(useSession.getState().toasts.at(-1)?.title).toContain("was moved or deleted");
    const stays = closeTab(id);
    await answer("cancel");
    expect(await stays).toBe(false);
    expect(await saveDocument()).toBe(true);
    expect(isDirty(useDocument.getState())).toBe(false);
    // A second loss is reported again.
    await lookOutside();
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(await saveDocument()).toBe(true);

    open("Other");
    replaceBackend({ ...backend, fileVersion: async (path) => (path === FILE ? null : "1") });
    const closes = closeTab(id);
    expect(await answer("discard")).toContain("Save the changes");
    expect(await closes).toBe(true);
    expect(names()).toEqual(["Other"]);
  });

  it("a past run is looked at in the tab that has its flow's file", async () => {
    await openPath(FILE);
    const own = useTabs.getState().active;
    open("Other");
    const other = useTabs.getState().active;
    replaceBackend({
      ...backend,
      runDetail: async (runId) => runDetail({ summary: { flowPath: runId === "of the file" ? FILE : null } }),
    });
    await showTabOfRun("of no file");
    expect(useTabs.getState().active).toBe(other);
    await showTabOfRun("of the file");
    expect(useTabs.getState().active).toBe(own);
  });

  it("a run that an inactive tab shows is looked at there", async () => {
    open("One");
    const one = useTabs.getState().active;
    useRuns.setState({
      live: { state: emptyRun("r", "One"), document: flow("One"), flowPath: null, live: true },
    });
    open("Two");
    await showTabOfRun("r");
    expect(useTabs.getState().active).toBe(one);
    await showTabOfRun("r");
    expect(useTabs.getState().active).toBe(one);
  });

  it("take the place of nothing, and stand beside anything else", () => {
    open("A");
    expect(names()).toEqual(["A"]);
    open("B");
    open("C");
    expect(names()).toEqual(["A", "B", "C"]);
    expect(inFront()).toBe("C");
  });

  it("know a copy that nobody has changed or saved, active and inactive", async () => {
    open("A");
    const a = useTabs.getState().active;
    open("B");
    expect(tabOfCopy(flow("A"))).toBe(a);
    expect(tabOfCopy(flow("B"))).toBe(useTabs.getState().active);
    expect(tabOfCopy(flow("C"))).toBeNull();
    rename("A");
    rename("B2");
    expect(tabOfCopy(flow("B"))).toBeNull();
    await openPath(FILE);
    expect(tabOfCopy(useDocument.getState().root)).toBeNull();
  });

  it("keep what is folded of their own, though their nodes are called the same", () => {
    open("A");
    useFoldedLoops.getState().toggle("draft");
    open("B");
    expect([...useFoldedLoops.getState().folded]).toEqual([]);
    showTab(idOf("A"));
    expect([...useFoldedLoops.getState().folded]).toEqual(["draft"]);
  });

  it("keep document, history and selection of their own", () => {
    open("A");
    rename("A2");
    useSession.getState().select(["draft"]);
    open("B");
    expect([...useSession.getState().selection.nodes]).toEqual([]);
    expect(isDirty(useDocument.getState())).toBe(false);
    expect(useDocument.getState().undo()).toBeNull();
    showTab(idOf("A2"));
    expect([...useSession.getState().selection.nodes]).toEqual(["draft"]);
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(useDocument.getState().undo()).toBe("Rename");
    expect(names()).toEqual(["A", "B"]);
  });

  it("let a run go on while inactive, and show it as it has become", async () => {
    let emit: (event: RunEvent) => void = () => {};
    replaceBackend({
      ...backend,
      startRun: async (_id, onEvent) => {
        emit = onEvent;
        return "r1";
      },
    });
    open("A");
    await useRuns.getState().start({ id: "r1", document: flow("A"), flowPath: null });
    useChosenIteration.getState().choose("refine", 2);
    open("B");
    expect(useRuns.getState().live).toBeNull();
    expect(useChosenIteration.getState().chosen).toEqual({});
    const all = events("r1", refine());
    for (const event of all) emit(event);
    const runInTab = () => useRuns.getState().background[idOf("A")]?.live ?? null;
    await vi.waitFor(() => expect(runInTab()?.state.status).toBe("completed"), { timeout: 5000 });
    expect(useRuns.getState().live).toBeNull();
    showTab(idOf("A"));
    expect(useRuns.getState().live?.state.runId).toBe("r1");
    expect(useChosenIteration.getState().chosen).toEqual({ refine: 2 });
    expect(isUnfinished(useRuns.getState().live)).toBe(false);
  });

  it("hold a file once", async () => {
    await openPath("/flows/self-refine.loop");
    open("B");
    expect(await openPath("/flows/self-refine.loop")).toBe(true);
    expect(names()).toEqual(["Self-Refine", "B"]);
    expect(inFront()).toBe("Self-Refine");
    rename("Mine");
    await openPath("/flows/self-refine.loop");
    expect(inFront()).toBe("Mine");
  });

  it("save the file of the tab in front", async () => {
    await openPath("/flows/self-refine.loop");
    rename("Mine");
    await openPath("/flows/agentic-search.loop");
    showTab(idOf("Mine"));
    await saveDocument();
    expect((await backend.openFlow("/flows/self-refine.loop")).document.name).toBe("Mine");
    expect((await backend.openFlow("/flows/agentic-search.loop")).document.name).toBe("Agentic Search");
  });

  it("are gone through in a circle and put in another order", () => {
    for (const name of ["A", "B", "C"]) open(name);
    expect(neighbourTab(1)).toBe(idOf("A"));
    expect(neighbourTab(-1)).toBe(idOf("B"));
    moveTab(idOf("C"), 0);
    expect(names()).toEqual(["C", "A", "B"]);
    moveTab(idOf("C"), 99);
    expect(names()).toEqual(["A", "B", "C"]);
    expect(inFront()).toBe("C");
  });

  it("close with a question where something would be lost, and show their neighbour", async () => {
    for (const name of ["A", "B"]) open(name);
    rename("B2");
    const stayed = closeTab(idOf("B2"));
    expect(await answer("cancel")).toContain("B2");
    expect(await stayed).toBe(false);
    const gone = closeTab(idOf("B2"));
    await answer("discard");
    expect(await gone).toBe(true);
    expect(names()).toEqual(["A"]);
    expect(inFront()).toBe("A");
    await closeTab(idOf("A"));
    expect(useDocument.getState().document.nodes).toEqual([]);
    expect(useTabs.getState().tabs).toHaveLength(1);
    expect(useSession.getState().view).toBe("gallery");
  });

  it("ask about runs that go on before the window closes, and let them go on or pause them", async () => {
    const leaveRuns = vi.fn(async (_pause: boolean) => undefined);
    const going = [runSummary({ flow: "A long one", status: "running" })];
    replaceBackend({ ...testBackend(), goingRuns: async () => going, leaveRuns });
    const stays = confirmCloseWindow();
    expect(await answer("cancel")).toContain("A long one");
    expect(await stays).toBe(false);
    const stops = confirmCloseWindow();
    await answer("stop");
    expect(await stops).toBe(true);
    expect(leaveRuns).not.toHaveBeenCalled();
    const leaves = confirmCloseWindow();
    await answer("leave");
    expect(await leaves).toBe(true);
    expect(leaveRuns).toHaveBeenLastCalledWith(false);
    const pauses = confirmCloseWindow();
    await answer("pause");
    expect(await pauses).toBe(true);
    expect(leaveRuns).toHaveBeenLastCalledWith(true);
  });

  it("ask about each unsaved one before the window closes", async () => {
    open("A");
    rename("A2");
    addTab({ document: flow("clean"), path: null, version: null });
    open("B");
    rename("B2");
    const closing = confirmCloseWindow();
    expect(await answer("discard")).toContain("A2");
    expect(await answer("cancel")).toContain("B2");
    expect(await closing).toBe(false);
  });
});
