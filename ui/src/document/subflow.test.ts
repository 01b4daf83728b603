// Flows inside flows: entering and leaving, editing in place with undo, and moving a flow between a node and
// a file.
import { beforeEach, describe, expect, it } from "vitest";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc, FlowNode } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useDialog } from "../session/dialog";
import { useSession } from "../session/session";
import { breadcrumbPath, isDirty, outermost, useDocument } from "./document";
import { addNode, removeElements, setData, setField } from "./edits";
import { confirmDiscard, enterSubflow, leaveSubflow, saveDocument } from "./files";
import { changedAt, existingPath, flowAt } from "./inside";
import { beginInline, chooseFile, saveToFile, takeIn } from "./subflow";

const node = (id: string, type: string, data: Record<string, unknown> = {}): FlowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
});
const flow = (name: string, ...nodes: FlowNode[]): FlowDoc => ({ name, nodes, edges: [], extra: "kept" });

const innermost = flow("Innermost", node("say", "transform", { template: "a" }));
const inner = flow(
  "Inner",
  node("draft", "transform", { template: "x" }),
  node("deep", "subflow", { flow: innermost }),
);
const outer = flow(
  "Outer",
  node("sub", "subflow", { label: "Polish", flow: inner, mine: 1 }),
  node("file", "subflow", { ref: "shared.loop" }),
  node("none", "subflow", { label: "Begin" }),
);
const PATH = "/flows/outer.loop";

const state = () => useDocument.getState();
const rename = (name: string) => state().edit(setField("name", name), { label: "Rename" });

async function answer(value: string): Promise<void> {
  for (let i = 0; i < 50 && !useDialog.getState().open; i++) await Promise.resolve();
  useDialog.getState().open?.answer(value);
}

beforeEach(() => {
  replaceBackend(testBackend({ files: { [PATH]: outer, "/flows/shared.loop": inner } }));
  useDialog.setState({ open: null });
  useSession.setState({ toasts: [] });
  state().open({ document: structuredClone(outer), path: PATH, version: "1" });
});

describe("inside", () => {
  it("finds the flow at the end of breadcrumbs, and what is left of those that end nowhere", () => {
    expect(flowAt(outer, ["sub", "deep"])).toBe(innermost);
    expect(flowAt(outer, ["file"])).toBeNull();
    expect(existingPath(outer, ["sub", "gone", "deep"])).toEqual(["sub"]);
  });

  it("changes a flow deep inside and shares everything beside the breadcrumbs", () => {
    const next = changedAt(outer, ["sub", "deep"], setField("name", "New"));
    expect(flowAt(next, ["sub", "deep"])?.name).toBe("New");
    expect(flowAt(next, ["sub"])?.nodes[0]).toBe(inner.nodes[0]);
    expect(next.nodes[1]).toBe(outer.nodes[1]);
    expect(flowAt(next, ["sub", "deep"])?.extra).toBe("kept");
    expect(changedAt(outer, ["sub"], (same) => same)).toBe(outer);
  });
});

describe("an inline flow", () => {
  it("is shown, edited in the document around it, and undone from anywhere", async () => {
    expect(await enterSubflow("sub")).toBe(true);
    expect(state().document.name).toBe("Inner");
    state().edit(setData("draft", "template", "y"), { label: "Change template" });
    expect(flowAt(state().root, ["sub"])?.nodes[0]?.data.template).toBe("y");
    expect(state().root.nodes[0]?.data.mine).toBe(1);
    await leaveSubflow();
    expect(state().document).toBe(state().root);
    expect(isDirty(state())).toBe(true);
    state().undo();
    expect(flowAt(state().root, ["sub"])?.nodes[0]?.data.template).toBe("x");
    expect(isDirty(state())).toBe(false);
  });

  it("goes in twice, and Escape by Escape out again, to the node that it came from", async () => {
    await enterSubflow("sub");
    await enterSubflow("deep");
    expect(breadcrumbPath(state())).toEqual(["sub", "deep"]);
    expect(state().document.name).toBe("Innermost");
    await leaveSubflow();
    expect([...useSession.getState().selection.nodes]).toEqual(["deep"]);
    await leaveSubflow();
    expect(await leaveSubflow()).toBe(false);
    expect(state().document.name).toBe("Outer");
  });

  it("an undo that takes the flow away leads out of it", async () => {
    await beginInline("none");
    await enterSubflow("none");
    expect(state().document.name).toBe("Begin");
    state().undo();
    expect(breadcrumbPath(state())).toEqual([]);
    expect(state().document.name).toBe("Outer");
    state().redo();
    expect(flowAt(state().root, ["none"])?.name).toBe("Begin");
  });

  it("typing in the same field of two flows is two entries", async () => {
    state().edit(addNode(node("draft", "transform")), { label: "Add" });
    state().edit(setData("draft", "template", "1"), { label: "A", mark: "data:draft.template" });
    await enterSubflow("sub");
    state().edit(setData("draft", "template", "2"), { label: "B", mark: "data:draft.template" });
    expect(state().history.done.map((e) => e.label)).toEqual(["Add", "A", "B"]);
  });

  it("a node that is taken out inside leaves the rest of the document alone", async () => {
    await enterSubflow("sub");
    state().edit(removeElements(new Set(["draft"]), new Set()), { label: "Delete" });
    expect(state().document.nodes.map((n) => n.id)).toEqual(["deep"]);
    expect(state().root.nodes).toHaveLength(3);
  });
});

describe("a file that a node refers to", () => {
  it("opens as a file with a history of its own, and is saved to its own file", async () => {
    rename("Outer 2");
    expect(await enterSubflow("file")).toBe(true);
    expect(state()).toMatchObject({ path: "/flows/shared.loop", version: "1" });
    expect(outermost(state())).toMatchObject({ path: PATH });
    expect(state().undo()).toBeNull();
    rename("Inner 2");
    expect(await saveDocument()).toBe(true);
    expect(state().version).toBe("2");
    await leaveSubflow();
    expect(state()).toMatchObject({ path: PATH });
    expect(state().root.name).toBe("Outer 2");
    state().undo();
    expect(state().root.name).toBe("Outer");
  });

  it("is not left with changes before a question", async () => {
    await enterSubflow("file");
    rename("Inner 2");
    const stays = leaveSubflow();
    await answer("cancel");
    expect(await stays).toBe(false);
    expect(state().path).toBe("/flows/shared.loop");
    const leaves = leaveSubflow();
    await answer("discard");
    expect(await leaves).toBe(true);
    expect(state().path).toBe(PATH);
  });

  it("closing the window asks for the file in hand and for the one around it", async () => {
    rename("Outer 2");
    await enterSubflow("file");
    rename("Inner 2");
    expect(isDirty(state())).toBe(true);
    const may = confirmDiscard();
    await answer("discard");
    await new Promise((done) => setTimeout(done));
    await answer("save");
    expect(await may).toBe(true);
    expect(state()).toMatchObject({ path: PATH, version: "2" });
  });

  it("cannot be looked for while the workflow has no file", async () => {
    state().open({ document: structuredClone(outer), path: null, version: null });
    expect(await enterSubflow("file")).toBe(false);
    expect(useSession.getState().toasts.at(-1)?.detail).toContain("Save it first");
  });

  it("a file around it is not opened a second time", async () => {
    replaceBackend(
      testBackend({
        files: {
          [PATH]: outer,
          "/flows/shared.loop": flow("Inner", node("back", "subflow", { ref: "outer.loop" })),
        },
      }),
    );
    await enterSubflow("file");
    expect(await enterSubflow("back")).toBe(false);
    expect(useSession.getState().toasts.at(-1)?.title).toContain("is already open");
  });
});

describe("between a node and a file", () => {
  const data = (id: string) => state().document.nodes.find((n) => n.id === id)?.data;

  it("an inline flow is saved to a new file, and comes back by undo", async () => {
    expect(await saveToFile("sub")).toBe(true);
    expect(data("sub")).toEqual({ label: "Polish", mine: 1, ref: "inner.flow.json" });
    state().undo();
    expect(data("sub")).toMatchObject({ flow: inner });
    expect(data("sub")).not.toHaveProperty("ref");
  });

  it("a name that is taken is refused, and the flow stays where it is", async () => {
    await saveToFile("sub");
    state().undo();
    expect(await saveToFile("sub")).toBe(false);
    expect(useSession.getState().toasts.at(-1)?.detail).toContain("already");
    expect(data("sub")).toMatchObject({ flow: inner });
  });

  it("a file is taken in, and a file is chosen, each as one entry", async () => {
    expect(await takeIn("file")).toBe(true);
    expect(data("file")).toEqual({ flow: inner });
    expect(await chooseFile("file")).toBe(true);
    expect(data("file")).toEqual({ ref: "agentic-search.loop" });
    expect(state().history.done).toHaveLength(2);
    state().undo();
    state().undo();
    expect(data("file")).toEqual({ ref: "shared.loop" });
  });
});
