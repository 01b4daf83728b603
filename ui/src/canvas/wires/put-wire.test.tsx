// A wire added to an occupied input replaces the existing wire, unless both may stay.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc, FlowEdge, Problem } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { problemOf } from "../../ipc/testing/values";
import { followForDrawing } from "../../scene/scene";
import { useSession } from "../../session/session";
import { pickUpWire } from "./pick-up-wire";
import { putWire } from "./put-wire";
import { useWireDrawing } from "./use-wire-drawing";

const page = pageForEach();
const node = (id: string, type: string) => ({ id, type, position: { x: 0, y: 0 }, data: {} });
const wire = (id: string, source: string, targetHandle = "prompt"): FlowEdge => ({
  id,
  source,
  sourceHandle: "value",
  target: "llm",
  targetHandle,
});
const flow: FlowDoc = {
  name: "Two inputs",
  nodes: [node("a", "input"), node("b", "input"), node("llm", "llm")],
  edges: [wire("first", "a")],
};
let problems: Problem[];
let drawing: ReturnType<typeof useWireDrawing>;
const edges = () => useDocument.getState().document.edges.map(({ id }) => id);
const labels = () => useDocument.getState().history.done.map(({ label }) => label);

function Canvas() {
  drawing = useWireDrawing();
  return null;
}

// The test document has no `CSS.escape`.
vi.stubGlobal("CSS", { escape: (text: string) => text });

beforeEach(async () => {
  problems = [];
  replaceBackend({
    ...testBackend(),
    analyze: async (document) => ({ ...testAnalysis(document), problems }),
  });
  await useKinds.getState().load();
  useDocument.getState().open({ document: flow, path: null, version: null });
  useAnalysis.setState({ analysis: testAnalysis(flow) });
  useSession.setState({ toasts: [] });
  await act(async () => page.root.render(<Canvas />));
  return followForDrawing();
});

const clash = () => problems.push(problemOf("several_values", { node: "llm", place: "prompt" }));

test("two values in one run: the new wire takes the place of the old one, which can be undone", async () => {
  clash();
  await putWire(wire("second", "b"), "Connect");
  expect(edges()).toEqual(["second"]);
  expect(labels()).toEqual(["Replace wire"]);
  const [toast] = useSession.getState().toasts;
  expect(toast?.title).toBe("Replaced the wire from “a”.");
  toast?.actions[0]?.run();
  expect(edges()).toEqual(["first"]);
});

test("of branches that exclude each other both wires stay", async () => {
  await putWire(wire("second", "b"), "Connect");
  expect(edges()).toEqual(["first", "second"]);
});

test("a free input gets its wire at once", () => {
  clash();
  void putWire(wire("second", "b", "system"), "Connect");
  expect(edges()).toEqual(["first", "second"]);
});

/** Sets the element under the pointer. */
function over(html: string): void {
  page.host.insertAdjacentHTML("beforeend", html);
  const under = page.host.querySelector("[data-under]");
  document.elementFromPoint = () => under;
}
const drop = (x: number, over: object = {}) =>
  drawing.onConnectEnd(new MouseEvent("mouseup", { clientX: x, clientY: 0 }), {
    isValid: false,
    toHandle: null,
    toNode: null,
    ...over,
  } as never);
const pickUp = () => {
  drawing.onReconnectStart(null, { id: "first" });
  drawing.onConnectStart(new MouseEvent("mousedown", { clientX: 0, clientY: 0 }), {
    nodeId: "a",
    handleId: "value",
    handleType: "source",
  });
};

test("a wire that is pulled off and dropped on the canvas is deleted", () => {
  over('<div data-region="canvas"><div class="react-flow"><i data-under></i></div></div>');
  pickUp();
  drop(300);
  drawing.onReconnectEnd();
  expect(edges()).toEqual([]);
  useSession.getState().toasts[0]?.actions[0]?.run();
  expect(edges()).toEqual(["first"]);
});

test("one that is let go near where it was, over a card or beside the canvas, stays", () => {
  over('<div data-region="canvas"><div class="react-flow"><i data-under></i></div></div>');
  pickUp();
  drop(8);
  pickUp();
  drop(300, { toNode: { id: "llm" } });
  document.elementFromPoint = () => document.body;
  pickUp();
  drop(300);
  expect(edges()).toEqual(["first"]);
});

test("a press on an input picks up the wire that ends there", () => {
  page.host.innerHTML = `<div data-region="canvas"><i class="react-flow__edge" data-id="first">
    <i class="react-flow__edgeupdater-target"></i></i></div>`;
  const pressed: number[] = [];
  page.host
    .querySelector(".react-flow__edgeupdater-target")
    ?.addEventListener("mousedown", (event) => pressed.push((event as MouseEvent).clientX));
  const press = (name: string) => {
    const event = { button: 0, clientX: 7, clientY: 3, stopPropagation: vi.fn(), preventDefault: vi.fn() };
    const input = useKinds
      .getState()
      .byType.get("llm")
      ?.inputs.find((handle) => handle.name === name);
    if (!input) throw new Error(`an LLM has no input ${name}`);
    pickUpWire(event as never, "llm", input);
    return event.stopPropagation.mock.calls.length;
  };
  expect(press("system")).toBe(0);
  expect(press("prompt")).toBe(1);
  expect(pressed).toEqual([7]);
});
