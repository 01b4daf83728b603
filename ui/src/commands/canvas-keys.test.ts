// The keys common to any canvas, each of which is one undoable step.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { moveNodes } from "../document/edits";
import { useKinds } from "../document/kinds";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { testAnalysis } from "../ipc/testing/analysis";
import { agenticSearch } from "../ipc/testing/flows";
import type { Box } from "../kernels/geometry";
import { fileInHand, usePins } from "../runs/inputs/pins";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import { commandById } from ".";
import { commandFor, listenToKeys } from "./keyboard";

const box = (left: number, top: number, width = 200, height = 100): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
/** Three unaligned cards. */
const BOXES = new Map([
  ["plan", box(0, 0)],
  ["search", box(260, 40, 180, 60)],
  ["enough", box(700, 200)],
]);
const asked = { fit: vi.fn(), fitNodes: vi.fn(), zoomTo: vi.fn(), zoomBy: vi.fn() };
let unmount = () => {};

/** Presses a key on the page and returns the id of the command that it invokes; null if there is none. */
const press = (key: string, held: KeyboardEventInit = {}) => {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : "";
  const event = new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...held });
  document.body.dispatchEvent(event);
  return commandFor(event)?.id ?? null;
};
const places = () =>
  Object.fromEntries(
    useDocument
      .getState()
      .document.nodes.filter(({ id }) => BOXES.has(id))
      .map(({ id, position: { x, y } }) => [id, [x, y]]),
  );
const steps = () => useDocument.getState().history.done.length;

beforeEach(async () => {
  document.body.innerHTML = '<div data-region="canvas"></div>';
  replaceBackend(testBackend());
  await useKinds.getState().load();
  const nodes = agenticSearch.nodes.map((node) => {
    const at = BOXES.get(node.id);
    return at ? { ...node, position: { x: at.left, y: at.top } } : node;
  });
  const flow = { ...agenticSearch, nodes };
  useDocument.getState().open({ document: flow, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(flow) });
  useSession.getState().show("editor");
  useSession.getState().setLayout("edit");
  useSession.getState().patch({ tool: "select" });
  useSession.getState().select([...BOXES.keys()]);
  for (const spy of Object.values(asked)) spy.mockClear();
  unmount = mountCanvasView({
    boxes: () => BOXES,
    measureAll: () => null,
    keepInView: () => {},
    reveal: () => {},
    focus: () => {},
    isInView: () => true,
    ...asked,
  } as unknown as CanvasView);
  const stop = listenToKeys();
  const leave = unmount;
  unmount = () => {
    stop();
    leave();
  };
});
afterEach(() => unmount());

describe("aligning", () => {
  test.each([
    ["a", {}, { plan: [0, 0], search: [0, 40], enough: [0, 200] }],
    ["d", {}, { plan: [700, 0], search: [720, 40], enough: [700, 200] }],
    ["h", {}, { plan: [350, 0], search: [360, 40], enough: [350, 200] }],
    ["w", {}, { plan: [0, 0], search: [260, 0], enough: [700, 0] }],
    ["s", {}, { plan: [0, 200], search: [260, 240], enough: [700, 200] }],
    ["v", {}, { plan: [0, 100], search: [260, 120], enough: [700, 100] }],
    ["h", { shiftKey: true }, { plan: [0, 0], search: [360, 40], enough: [700, 200] }],
    ["v", { shiftKey: true }, { plan: [0, 0], search: [260, 120], enough: [700, 200] }],
  ])("Alt+%s %o is one step", (key, held, expected) => {
    const before = places();
    press(key, { altKey: true, ...held });
    expect(places()).toEqual(expected);
    expect(steps()).toBe(1);
    useDocument.getState().undo();
    expect(places()).toEqual(before);
  });

  test("one node has nothing to align with, and two nothing between them", () => {
    useSession.getState().select(["plan"]);
    expect(press("a", { altKey: true })).toBeNull();
    useSession.getState().select(["plan", "search"]);
    expect(press("H", { altKey: true, shiftKey: true })).toBeNull();
  });
});

test("two nodes that are moved together are one step", () => {
  const before = places();
  const to = new Map([
    ["plan", { x: 20, y: 20 }],
    ["search", { x: 280, y: 60 }],
  ]);
  useDocument.getState().edit(moveNodes(to), { label: "Move 2 nodes" });
  expect(steps()).toBe(1);
  useDocument.getState().undo();
  expect(places()).toEqual(before);
});

test("1 shows all, 2 what is selected, 0 is 100 %, Ctrl with plus and minus zoom", () => {
  press("1");
  expect(asked.fit).toHaveBeenCalledOnce();
  press("2");
  expect(asked.fitNodes).toHaveBeenCalledWith([...BOXES.keys()]);
  press("0");
  expect(asked.zoomTo).toHaveBeenCalledWith(1);
  press("=", { ctrlKey: true });
  press("-", { ctrlKey: true });
  const [[more] = [1], [less] = [1]] = asked.zoomBy.mock.calls;
  expect(more).toBeGreaterThan(1);
  expect(more * less).toBeCloseTo(1);
});

test("H is the hand, V selects", () => {
  press("h");
  expect(useSession.getState().tool).toBe("pan");
  press("v");
  expect(useSession.getState().tool).toBe("select");
});

test("F folds the loop around a node, and unfolds it", () => {
  const [region] = useAnalysis.getState().analysis.regions;
  const inside = region?.body[0] ?? "";
  useSession.getState().select([inside]);
  press("f");
  expect([...useFoldedLoops.getState().folded]).toHaveLength(1);
  // The loop drawn in its place is selected.
  expect([...useSession.getState().selection.nodes]).toEqual([region?.start]);
  press("f");
  expect([...useFoldedLoops.getState().folded]).toHaveLength(0);
});

test("a node that never ran is pinned by hand, and the pin is taken away again", async () => {
  useSession.getState().select(["plan"]);
  await commandById("node.pin").run();
  expect(usePins.getState().editing).toEqual({ nodeId: "plan", value: "" });
  usePins.getState().set(fileInHand(), "plan", "fixed");
  await commandById("node.pin").run();
  expect(usePins.getState().byFile[fileInHand()]).toBeUndefined();
});
