// A branch wired to an Exit becomes the exit condition of the loop, whichever edit added the wire. The change
// is part of that edit's undo entry, and never overrides the user's choice.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useDocument } from "../document/document";
import { combineEdits, connect, removeElements, renameNodes, setData, updateEdge } from "../document/edits";
import { useKinds } from "../document/kinds";
import { putFragment } from "../document/paste";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc, FlowEdge } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useSession } from "../session/session";
import { followWires } from "./stop-at-exit";
import { putWire } from "./wires/put-wire";

const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
});
const wire = (id: string, source: string, sourceHandle: string, target: string, to = "input"): FlowEdge => ({
  id,
  source,
  sourceHandle,
  target,
  targetHandle: to,
});
const flow = (loop: Record<string, unknown> = {}, edges: FlowEdge[] = []): FlowDoc => ({
  name: "Loop",
  nodes: [
    node("in", "input", { name: "topic" }),
    node("loop", "loop", { label: "Refine", maxIterations: 3, ...loop }),
    node("judge", "router", { mode: "llm", branches: ["done", "continue"] }),
    node("more", "transform"),
    node("end", "exit"),
  ],
  edges: [
    wire("a", "in", "value", "loop"),
    wire("b", "loop", "body", "judge"),
    wire("c", "judge", "continue", "more"),
    wire("d", "more", "output", "loop", "feedback"),
    ...edges,
  ],
});
const toExit = wire("x", "judge", "done", "end");

let stop = () => {};
const open = (document: FlowDoc) => useDocument.getState().open({ document, path: null, version: null });
const state = () => useDocument.getState();
const exitOf = (id = "loop") => state().document.nodes.find((n) => n.id === id)?.data.exitCondition;
const toasts = () => useSession.getState().toasts.map(({ title }) => title);
/** Waits until all requests are answered. */
const settled = async () => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
  await new Promise((done) => setTimeout(done, 5));
};

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useSession.setState({ toasts: [] });
  stop = followWires();
});
afterEach(() => stop());

test.each([["max_iterations"], [undefined], [null]])(
  "a loop with %s stops there, in one entry",
  async (was) => {
    open(flow(was === undefined ? {} : { exitCondition: was }));
    await putWire(toExit, "Connect");
    await settled();
    expect(exitOf()).toBe("evaluator");
    expect(toasts()).toEqual(["Stops when “done” is taken."]);
    expect(state().history.done.map(({ label }) => label)).toEqual(["Connect"]);

    state().undo();
    expect(state().document).toEqual(flow(was === undefined ? {} : { exitCondition: was }));
    state().redo();
    await settled();
    expect(exitOf()).toBe("evaluator");
    expect(state().document.edges.some(({ id }) => id === "x")).toBe(true);
  },
);

test("Undo of the toast takes back wire and exit condition, but nothing that was done since", async () => {
  open(flow());
  state().edit(connect(toExit), { label: "Connect" });
  await settled();
  const [undo] = useSession.getState().toasts[0]?.actions ?? [];
  expect(undo?.label).toBe("Undo");
  state().edit(setData("loop", "maxIterations", 4), { label: "Change" });
  undo?.run();
  expect(exitOf()).toBe("evaluator");
  state().undo();
  undo?.run();
  expect(exitOf()).toBeUndefined();
  expect(state().document.edges).toHaveLength(4);
});

test("so it is for a wire that is moved, one that is split, and the one that closes the way", async () => {
  const elsewhere = wire("x", "judge", "done", "more");
  open(flow({}, [elsewhere]));
  state().edit(updateEdge(toExit), { label: "Reconnect" });
  await settled();
  expect(exitOf()).toBe("evaluator");

  // Exit is wired first, and the loop leads to the Router only later.
  open({ ...flow({}, [toExit]), edges: [toExit] });
  await settled();
  expect(exitOf()).toBeUndefined();
  state().edit(connect(wire("b", "loop", "body", "judge")), { label: "Connect" });
  await settled();
  expect(exitOf()).toBe("evaluator");

  const between = node("judge2", "router", { branches: ["done", "continue"] });
  open({
    ...flow(),
    nodes: [...flow().nodes.filter(({ id }) => id !== "judge")],
    edges: [wire("a", "in", "value", "loop"), wire("b", "loop", "body", "end")],
  });
  state().edit(
    combineEdits(
      (document) => ({ ...document, nodes: [...document.nodes, between] }),
      updateEdge(wire("b", "loop", "body", "judge2")),
      connect(wire("z", "judge2", "done", "end")),
    ),
    { label: "Insert Router" },
  );
  await settled();
  expect(exitOf()).toBe("evaluator");
  expect(state().history.done).toHaveLength(1);
});

test("what is pasted stops as well", async () => {
  const { nodes, edges } = flow({}, [toExit]);
  open({ name: "Empty", nodes: [], edges: [] });
  await putFragment({ nodes, edges, groups: [] } as never, { x: 0, y: 0 }, "Paste");
  await settled();
  expect(exitOf()).toBe("evaluator");
  state().undo();
  expect(state().document.nodes).toEqual([]);
});

test("a condition that a person chose stays, and a word says that the branch does not count", async () => {
  open(flow({ exitCondition: "stable_output" }));
  await putWire(toExit, "Connect");
  await settled();
  expect(exitOf()).toBe("stable_output");
  expect(toasts()).toEqual(["“done” does not stop “Refine”."]);
  // The message appears once, not with each further wire.
  state().edit(connect(wire("y", "in", "value", "more", "extra")), { label: "Connect" });
  await settled();
  expect(toasts()).toHaveLength(1);
});

test("what is no new wire changes nothing: a chosen cap, another name, a flow that is opened", async () => {
  open(flow({ exitCondition: "evaluator" }, [toExit]));
  state().edit(setData("loop", "exitCondition", "max_iterations"), { label: "Change" });
  await settled();
  state().edit(connect(wire("y", "in", "value", "more", "extra")), { label: "Connect" });
  await settled();
  state().edit(renameNodes(new Map([["loop", "refine"]]), {}), { label: "Rename" });
  await settled();
  expect(exitOf("refine")).toBe("max_iterations");
  open(flow({}, [toExit]));
  await settled();
  expect(exitOf()).toBeUndefined();
  expect(toasts()).toEqual([]);
});

test("two branches that meet in Exit decide nothing: what the first one set is set back", async () => {
  open(flow({ exitCondition: "max_iterations" }));
  state().edit(connect(toExit), { label: "Connect" });
  await settled();
  expect(exitOf()).toBe("evaluator");
  state().edit(
    combineEdits(removeElements(new Set(), new Set(["c"])), connect(wire("y", "judge", "continue", "end"))),
    { label: "Connect the other" },
  );
  await settled();
  expect(exitOf()).toBe("max_iterations");
  expect(toasts().at(-1)).toBe("“Refine” runs all its iterations.");
  expect(state().history.done).toHaveLength(2);

  // A condition chosen by the user is not reset.
  open(flow({ exitCondition: "evaluator" }, [toExit]));
  state().edit(connect(wire("y", "judge", "continue", "end")), { label: "Connect" });
  await settled();
  expect(exitOf()).toBe("evaluator");
});

test("an edit that follows at once keeps its own entry, and a wire that is taken back changes nothing", async () => {
  open(flow());
  state().edit(connect(toExit), { label: "Connect" });
  state().edit(setData("more", "template", "x"), { label: "Change" });
  await settled();
  expect(exitOf()).toBe("evaluator");
  expect(state().history.done.map(({ label }) => label)).toEqual([
    "Connect",
    "Change",
    "Stop when `done` is taken",
  ]);
  open(flow());
  state().edit(connect(toExit), { label: "Connect" });
  state().undo();
  await settled();
  expect(exitOf()).toBeUndefined();
});

test("where nothing branches or repeats nobody is asked, and no answer is no change", async () => {
  const analyze = vi.fn(testBackend().analyze);
  replaceBackend({ ...testBackend(), analyze });
  open({ name: "Plain", nodes: [node("in", "input"), node("llm", "llm")], edges: [] });
  state().edit(connect(wire("e", "in", "value", "llm", "prompt")), { label: "Connect" });
  await settled();
  expect(analyze).not.toHaveBeenCalled();
  replaceBackend({ ...testBackend(), analyze: () => Promise.reject(new Error("gone")) });
  open(flow());
  state().edit(connect(toExit), { label: "Connect" });
  await settled();
  expect(exitOf()).toBeUndefined();
});
