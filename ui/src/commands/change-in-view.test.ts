// The view moves as little as possible: additions come into view, and undo never leaves an empty canvas.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useDocument } from "../document/document";
import { moveNodes, removeElements } from "../document/edits";
import { replaceBackend } from "../ipc/client";
import type { Edit } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { problemOf } from "../ipc/testing/values";
import type { Box } from "../kernels/geometry";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { commandById } from ".";
import { pasteText } from "./copy";
import { applyFix } from "./problems";

const node = (id: string, x: number) => ({ id, type: "note", position: { x, y: 0 }, data: {} });
const nodes = [node("near", 0), node("other", 300), node("far", 9000)];
const seen: Box = { left: -100, top: -100, right: 900, bottom: 600 };
const box = (x: number): Box => ({ left: x, top: 0, right: x + 200, bottom: 100 });
const keepInView = vi.fn();
const reveal = vi.fn();
let unmount: () => void;

/** Waits two frames. */
const nextDraw = () =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
const run = async (id: string) => {
  await commandById(id).run();
  await nextDraw();
};
const edit = (...args: Parameters<ReturnType<typeof useDocument.getState>["edit"]>) =>
  useDocument.getState().edit(...args);

beforeEach(() => {
  replaceBackend(testBackend());
  keepInView.mockClear();
  reveal.mockClear();
  useDocument.getState().open({ document: { name: "A", nodes, edges: [] }, path: null, version: null });
  useSession.getState().show("editor");
  useSession.getState().select([]);
  unmount = mountCanvasView({
    keepInView,
    reveal,
    pointer: () => null,
    focus: () => {},
    centre: () => ({ x: 400, y: 250 }),
    boxes: () => new Map(useDocument.getState().document.nodes.map((n) => [n.id, box(n.position.x)])),
    zoom: () => 1,
    freeSize: () => ({ width: 1000, height: 700 }),
    inView: (b: Box) => b.left < seen.right && b.right > seen.left,
  } as unknown as CanvasView);
});
afterEach(() => unmount());

test("what is duplicated is kept in view at the same zoom", async () => {
  useSession.getState().select(["near"]);
  await run("edit.duplicate");
  expect(keepInView).toHaveBeenCalledTimes(1);
  expect(keepInView.mock.calls[0]?.[0]).toHaveLength(1);
  expect(reveal).not.toHaveBeenCalled();
});

test("what is pasted is kept in view at the same zoom", async () => {
  expect(await pasteText(JSON.stringify({ nodes: [node("near", 0)], edges: [] }))).toBe(true);
  await nextDraw();
  const pasted = useDocument.getState().document.nodes.at(-1)?.id;
  expect(pasted).not.toBe("far");
  expect(keepInView.mock.calls).toEqual([[[pasted]]]);
  expect(reveal).not.toHaveBeenCalled();
});

test("undo of what is seen moves nothing", async () => {
  edit(moveNodes(new Map([["near", { x: 100, y: 0 }]])), { label: "Move" });
  await run("edit.undo");
  expect(useDocument.getState().document.nodes[0]?.position.x).toBe(0);
  expect(keepInView).not.toHaveBeenCalled();
});

test("undo of what is out of view shows it, and redo does", async () => {
  edit(moveNodes(new Map([["far", { x: 8000, y: 0 }]])), { label: "Move" });
  await run("edit.undo");
  await run("edit.redo");
  expect(keepInView.mock.calls).toEqual([[["far"]], [["far"]]]);
});

test("where undo leaves nothing in view, the nearest node is shown", async () => {
  edit(removeElements(new Set(["near", "other"]), new Set()), { label: "Delete" });
  await run("edit.undo");
  expect(keepInView).not.toHaveBeenCalled();
  await run("edit.redo");
  expect(keepInView.mock.calls).toEqual([[["far"]]]);
});

/** Applies a fix with these edits. */
async function fixWith(...edits: Edit[]): Promise<void> {
  applyFix(problemOf("no_end", { fix: { title: "Mend it", edits } }));
  await nextDraw();
}
const wire = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });

test("what a fix adds is kept in view", async () => {
  await fixWith({ op: "add_node", node: { ...node("exit", 9000), type: "exit" } });
  expect(keepInView.mock.calls).toEqual([[["exit"]]]);
});

test("both ends of a wire that a fix adds are kept in view", async () => {
  await fixWith({ op: "add_edge", edge: wire("near", "other") });
  expect(keepInView.mock.calls).toEqual([[["near", "other"]]]);
});

test("of a wire that is longer than the view, the end that is seen stays in view", async () => {
  await fixWith({ op: "add_edge", edge: wire("far", "other") });
  expect(keepInView.mock.calls).toEqual([[["other"]]]);
});

test("the ends of a wire that a fix takes away are kept in view, and the node that it changes", async () => {
  edit((d) => ({ ...d, edges: [wire("near", "other")] }), { label: "Wire" });
  await fixWith({ op: "remove_edge", id: "near-other" });
  await fixWith({ op: "set_data", node: "far", field: "label", value: "Far" });
  expect(keepInView.mock.calls).toEqual([[["near", "other"]], [["far"]]]);
});
