// Wires and cards: sockets, colours, unknown kinds, shared objects, and where nodes may be added.

import { beforeEach, describe, expect, it } from "vitest";
import { useAnalysis } from "../../document/analysis";
import { offersOf } from "../../document/build";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { replaceBackend } from "../../ipc/client";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { kinds as testKinds } from "../../ipc/generated/recorded/program";
import { testBackend } from "../../ipc/testing";
import { testAnalysis } from "../../ipc/testing/analysis";
import { agenticSearch } from "../../ipc/testing/flows";
import { followForDrawing } from "../../scene/scene";
import { connectedSockets, wiresOf } from "../../scene/wires";
import { fitIntoWire, insertAtWireEnd, insertIntoWire } from "../add/insert";
import { entriesFor } from "../add/QuickAdd";
import { nodeLabel } from "../node-label";
import { reconcileNodes } from "../nodes";
import { wireLabel } from "../use-canvas-nodes";
import { connectionError } from "../view/fit";

const kinds = new Map(testKinds.kinds.map((kind) => [kind.type, kind]));
const offers = offersOf(testKinds.kinds, testKinds.presets);
const offer = (id: string) => offers.find((o) => o.id === id) as (typeof offers)[number];

beforeEach(async () => {
  replaceBackend(testBackend());
  await useKinds.getState().load();
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
});

describe("wires", () => {
  it("take the colour of what they carry, and feedback its own", () => {
    const wires = wiresOf(agenticSearch, testAnalysis(agenticSearch), kinds);
    const by = (id: string) => wires.find((wire) => wire.edge.id === id);
    expect(by("e1")?.tone).toBe("text");
    expect(by("e7")).toMatchObject({ tone: "feedback", loop: "search_loop" });
    expect(wires).toHaveLength(agenticSearch.edges.length);
    expect(connectedSockets(wires).has("search_loop|in|feedback")).toBe(true);
  });
  it("of an unknown kind are all kept in view", () => {
    const document: FlowDoc = {
      nodes: [
        { id: "x", type: "hologram", position: { x: 0, y: 0 }, data: { secret: 1 } },
        { id: "y", type: "output", position: { x: 0, y: 0 }, data: {} },
      ],
      edges: [
        { id: "e1", source: "x", sourceHandle: "beam", target: "y", targetHandle: "value" },
        { id: "e2", source: "x", sourceHandle: "glow", target: "y" },
        { id: "e3", source: "gone", target: "y" },
      ],
    };
    const wires = wiresOf(document, testAnalysis(document), kinds);
    expect(wires.map((w) => [w.edge.id, w.sourceHandle, w.targetHandle])).toEqual([
      ["e1", "beam", "value"],
      ["e2", "glow", "value"],
    ]);
  });
});

describe("a wire being drawn", () => {
  const end = (node: string, name: string, valueType: "text" | "number" | "json", output: boolean) => ({
    node,
    output,
    handle: { name, label: name, valueType, primary: true, many: false, always: false },
  });
  it("fits where the types do, and says why not elsewhere", () => {
    expect(connectionError(end("a", "out", "text", true), end("b", "in", "text", false))).toBeNull();
    expect(connectionError(end("a", "out", "number", true), end("b", "in", "text", false))).toBeNull();
    expect(connectionError(end("b", "in", "number", false), end("a", "out", "text", true))).toBe(
      "in takes number, not text.",
    );
    expect(connectionError(end("a", "out", "text", true), end("b", "o", "text", true))).toContain("output");
    expect(connectionError(end("a", "out", "text", true), end("a", "in", "text", false))).toContain("itself");
  });
  it("offers what fits first and says what the others need", () => {
    const from = end("plan", "count", "number", true);
    const entries = entriesFor(offers, { from }, "");
    const firstUnfit = entries.findIndex((entry) => entry.reason !== null);
    expect(entries.slice(firstUnfit).every((entry) => entry.reason !== null)).toBe(true);
    expect(entries.find((entry) => entry.offer.id === "input")?.reason).toBe("has no inputs");
    const back = entriesFor(offers, { from: end("plan", "count", "number", false) }, "");
    expect(back.find((entry) => entry.offer.id === "input")?.reason).toBe("outputs text");
    expect(back.find((entry) => entry.offer.id === "loop")?.reason).toBeNull();
  });
});

describe("what may be added", () => {
  const stem = { valueType: "text" as const, primary: true, many: false, always: false };
  const reasonOf = (id: string, spot: Parameters<typeof entriesFor>[1]) =>
    entriesFor(offers, spot, "").find((entry) => entry.offer.id === id)?.reason;
  it("inside a loop is nothing that belongs outside of it", () => {
    useAnalysis.setState({ analysis: testAnalysis(agenticSearch) });
    const body = { node: "search_loop", output: true, handle: { ...stem, name: "body", label: "body" } };
    const within = { node: "plan", output: true, handle: { ...stem, name: "response", label: "response" } };
    const behind = {
      node: "search_loop",
      output: true,
      handle: { ...stem, name: "output", label: "output" },
    };
    expect(reasonOf("output", { from: body })).toContain("belongs outside");
    expect(reasonOf("output", { from: within })).toContain("belongs outside");
    expect(reasonOf("output", { from: behind })).toBeNull();
    expect(reasonOf("llm", { from: body })).toBeNull();
  });
  it("to a wire is what fits between its ends", () => {
    const stop = followForDrawing();
    expect(reasonOf("transform", { from: null, into: "e3" })).toBeNull();
    expect(reasonOf("input", { from: null, into: "e3" })).toBe("does not fit into this wire");
    stop();
  });
});

describe("inserting", () => {
  it("into a wire splits it, as one undo entry", () => {
    const stop = followForDrawing();
    expect(fitIntoWire(offer("input"), "e3")).toBeNull();
    const id = insertIntoWire(offer("transform"), "e3", { x: 31, y: 29 });
    stop();
    const { document, history } = useDocument.getState();
    expect(document.nodes.find((n) => n.id === id)?.position).toEqual({ x: 40, y: 20 });
    expect(document.edges.find((e) => e.id === "e3")).toMatchObject({ source: "plan", target: id });
    expect(document.edges.at(-1)).toMatchObject({ source: id, target: "search", targetHandle: "input" });
    expect(history.done).toHaveLength(1);
    useDocument.getState().undo();
    expect(useDocument.getState().document).toEqual(agenticSearch);
  });
  it("at a wire's end connects the first socket that fits", () => {
    const handle = {
      name: "response",
      label: "response",
      valueType: "text" as const,
      primary: true,
      many: false,
      always: false,
    };
    const id = insertAtWireEnd(offer("llm"), { node: "plan", handle, output: true }, { x: 300, y: 300 });
    expect(useDocument.getState().document.edges.at(-1)).toMatchObject({
      source: "plan",
      sourceHandle: "response",
      target: id,
      targetHandle: "prompt",
    });
  });
});

describe("cards", () => {
  it("are the same objects where nothing changed", () => {
    const none = new Set<string>();
    const first = reconcileNodes([], agenticSearch.nodes, none);
    expect(reconcileNodes(first, agenticSearch.nodes, none)).toBe(first);
    const selected = reconcileNodes(first, agenticSearch.nodes, new Set(["plan"]));
    expect(selected.filter((node, i) => node !== first[i]).map((node) => node.id)).toEqual(["plan"]);
  });
  it("keep their place while dragged when only their data changes", () => {
    const cards = reconcileNodes([], agenticSearch.nodes, new Set()).map((node) =>
      node.id === "plan" ? { ...node, position: { x: 999, y: 999 } } : node,
    );
    const nodes = agenticSearch.nodes.map((node) =>
      node.id === "plan" ? { ...node, data: { label: "New" } } : node,
    );
    const after = reconcileNodes(cards, nodes, new Set()).find((node) => node.id === "plan");
    expect(after?.position).toEqual({ x: 999, y: 999 });
    expect(after?.data.node.data.label).toBe("New");
  });
  it("are read out with what matters", () => {
    expect(nodeLabel("Draft", "LLM", { state: "running", iteration: 2, iterationTotal: 5 }, 1)).toBe(
      "Draft, LLM, running, iteration 2 of 5, 1 problem",
    );
    expect(nodeLabel("Draft", "LLM", { state: "idle", iteration: null, iterationTotal: null }, 0)).toBe(
      "Draft, LLM",
    );
  });
  it("and wires by the titles of their ends, feedback as such", () => {
    const edge = { id: "e", source: "a", target: "b" };
    const wire = { edge, sourceHandle: "x", targetHandle: "y", tone: "any", loop: null, bad: false } as const;
    expect(wireLabel(wire, { a: "Draft", b: "Exit" }).ariaLabel).toBe("Wire from Draft to Exit");
    expect(wireLabel({ ...wire, loop: "b" }, { a: "Draft" }).ariaLabel).toBe("Feedback wire from Draft to b");
  });
});
