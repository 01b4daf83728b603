// Undo and redo: every sequence of edits is reversible, and marks join edits that belong together.
// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { FlowDoc } from "../ipc/generated/bindings";
import type { DocumentEdit } from "./document-edit";
import {
  addNode,
  applyEdits,
  connect,
  freeId,
  moveNodes,
  removeElements,
  setData,
  setSetting,
} from "./edits";
import {
  amend,
  BURST_PAUSE_MS,
  emptyHistory,
  type History,
  MAX_ENTRIES,
  record,
  redo,
  stateOf,
  travel,
  undo,
} from "./history";

const flow: FlowDoc = {
  schemaVersion: 1,
  name: "A",
  unknownField: { keep: ["me"] },
  nodes: [
    { id: "a", type: "input", position: { x: 0, y: 0 }, data: { label: "A" }, extra: 1 },
    { id: "b", type: "llm", position: { x: 100, y: 0 }, data: { label: "B", prompt: "p" } },
    { id: "c", type: "output", position: { x: 200, y: 0 }, data: {} },
  ],
  edges: [
    { id: "e1", source: "a", target: "b", style: "dotted" },
    { id: "e2", source: "b", sourceHandle: "response", target: "c", targetHandle: "value" },
  ],
};

function play(document: FlowDoc, edits: [DocumentEdit, string?, number?][]) {
  let history: History = emptyHistory();
  const documents = [document];
  for (const [edit, mark, at] of edits) {
    const before = documents.at(-1) as FlowDoc;
    const after = edit(before);
    history = record(history, before, after, { label: "edit", mark, at: at ?? 0 });
    documents.push(after);
  }
  return { history, documents };
}

const edits: [DocumentEdit][] = [
  [addNode({ id: "d", type: "note", position: { x: 1, y: 2 }, data: {} })],
  [removeElements(new Set(["b"]), new Set())],
  [moveNodes(new Map([["a", { x: 40, y: 60 }]]))],
  [connect({ id: "e3", source: "a", target: "c" })],
  [setData("c", "format", "json")],
  [setSetting("budget", { usd: 1 })],
  [removeElements(new Set(), new Set(["e3"]))],
];

describe("history", () => {
  it("walks back to the beginning and forth to the end", () => {
    const { history, documents } = play(flow, edits);
    let state = { history, document: documents.at(-1) as FlowDoc };
    for (let i = documents.length - 2; i >= 0; i--) {
      state = undo(state.history, state.document) as typeof state;
      expect(state.document).toEqual(documents[i]);
    }
    expect(undo(state.history, state.document)).toBeNull();
    for (let i = 1; i < documents.length; i++) {
      state = redo(state.history, state.document) as typeof state;
      expect(state.document).toEqual(documents[i]);
    }
    expect(redo(state.history, state.document)).toBeNull();
  });

  it("keeps the order of nodes, unknown fields, and parts that did not change", () => {
    const { history, documents } = play(flow, [[removeElements(new Set(["a"]), new Set())]]);
    const back = undo(history, documents[1] as FlowDoc);
    expect(back?.document.nodes.map((n) => n.id)).toEqual(["a", "b", "c"]);
    expect(back?.document).toEqual(flow);
    expect(back?.document.nodes[1]).toBe(flow.nodes[1]);
  });

  it("joins a burst of typing, and starts anew after a pause, another mark or an undo", () => {
    const type = (text: string) => setData("b", "prompt", text);
    const burst = play(flow, [
      [type("p1"), "b.prompt", 0],
      [type("p12"), "b.prompt", 200],
      [type("p123"), "b.prompt", 200 + BURST_PAUSE_MS],
      [type("p1234"), "b.prompt", 300 + 2 * BURST_PAUSE_MS],
      [setData("b", "model", "m"), "b.model", 301 + 2 * BURST_PAUSE_MS],
    ]);
    expect(burst.history.done).toHaveLength(3);
    const once = undo(burst.history, burst.documents.at(-1) as FlowDoc);
    const twice = undo(once?.history as History, once?.document as FlowDoc);
    const thrice = undo(twice?.history as History, twice?.document as FlowDoc);
    expect(twice?.document.nodes[1]?.data.prompt).toBe("p123");
    expect(thrice?.document).toEqual(flow);
    const again = redo(thrice?.history as History, flow);
    const after = record(
      again?.history as History,
      again?.document as FlowDoc,
      type("x")(again?.document as FlowDoc),
      {
        label: "edit",
        mark: "b.prompt",
        at: 200 + BURST_PAUSE_MS,
      },
    );
    expect(after.done).toHaveLength(2);
  });

  it("travels to any state at once, and remembers what was selected", () => {
    const { documents } = play(flow, edits);
    let history = emptyHistory();
    documents.slice(1).forEach((after, i) => {
      const around = {
        inside: [],
        before: { nodes: [`b${i}`], edges: [] },
        after: { nodes: [`a${i}`], edges: [] },
      };
      history = record(history, documents[i] as FlowDoc, after, { label: "edit", at: 0, around });
    });
    const last = documents.at(-1) as FlowDoc;
    const back = travel(history, last, 2);
    expect(back?.document).toEqual(documents[2]);
    expect(back?.entry.around?.before.nodes).toEqual(["b2"]);
    const forth = travel(back?.history as History, back?.document as FlowDoc, 5);
    expect(forth?.document).toEqual(documents[5]);
    expect(forth?.entry.around?.after.nodes).toEqual(["a4"]);
    expect(travel(history, last, edits.length)).toBeNull();
    expect(travel(history, last, edits.length + 1)).toBeNull();
  });

  it("recognises the saved state, also when undo leads back to it", () => {
    const { history, documents } = play(flow, [[setData("a", "x", 1)], [setData("a", "x", 2)]]);
    const saved = stateOf(history);
    const back = undo(history, documents.at(-1) as FlowDoc);
    expect(stateOf(back?.history as History)).not.toBe(saved);
    const forth = redo(back?.history as History, back?.document as FlowDoc);
    expect(stateOf(forth?.history as History)).toBe(saved);
    const branch = record(back?.history as History, back?.document as FlowDoc, flow, {
      label: "edit",
      at: 0,
    });
    expect(stateOf(branch)).not.toBe(saved);
  });

  it("ignores edits that change nothing and forgets the oldest entries", () => {
    expect(play(flow, [[setData("a", "label", "A")], [(d) => ({ ...d })]]).history.done).toEqual([]);
    const many = play(
      flow,
      Array.from({ length: MAX_ENTRIES + 3 }, (_, i) => [setData("a", "n", i)] as [DocumentEdit]),
    );
    expect(many.history.done).toHaveLength(MAX_ENTRIES);
    expect(many.history.base).toBeGreaterThan(0);
  });
});

describe("edit functions", () => {
  it("removes the wires of a removed node and nothing else", () => {
    const after = removeElements(new Set(["b"]), new Set())(flow);
    expect(after.edges).toEqual([]);
    expect(after.nodes.map((n) => n.id)).toEqual(["a", "c"]);
    expect(after.unknownField).toBe(flow.unknownField);
  });
  it("does not double a wire", () => {
    expect(connect({ id: "new", source: "a", target: "b" })(flow)).toBe(flow);
  });
  it("applies a fix's edits in order", () => {
    const after = applyEdits([
      { op: "add_node", node: { id: "x", type: "exit", position: { x: 0, y: 0 }, data: {} } },
      { op: "add_edge", edge: { id: "ex", source: "b", target: "x" } },
      { op: "update_edge", edge: { id: "e2", source: "x", target: "c" } },
      { op: "set_data", node: "b", field: "prompt", value: null },
      { op: "set_setting", field: "allowNestedLoops", value: true },
      { op: "remove_edge", id: "e1" },
      { op: "remove_node", id: "a" },
    ])(flow);
    expect(after.nodes.map((n) => n.id)).toEqual(["b", "c", "x"]);
    expect(after.edges).toEqual([
      { id: "e2", source: "x", target: "c" },
      { id: "ex", source: "b", target: "x" },
    ]);
    expect(after.nodes[0]?.data).toEqual({ label: "B" });
    expect(after.settings).toEqual({ allowNestedLoops: true });
  });
  it("makes ids that templates can name", () => {
    expect(freeId(new Set(), "http request")).toBe("http_request");
    expect(freeId(new Set(["llm", "llm_2"]), "llm")).toBe("llm_3");
    expect(freeId(new Set(), "—")).toBe("node");
    expect(freeId(new Set(), "naïve Überblick")).toBe("naive_Uberblick");
  });
});

describe("a change that belongs to the edit before it", () => {
  const connected = connect({ id: "e3", source: "a", target: "c" })(flow);
  const whole = setData("b", "prompt", "q")(connected);
  const first = record(emptyHistory(), flow, connected, { label: "Connect", at: 0 });

  it("is undone and redone with it", () => {
    const amended = amend(first, stateOf(first), connected, whole);
    expect(amended?.done.map(({ label }) => label)).toEqual(["Connect"]);
    // The saved state is no longer the current one.
    expect(amended && stateOf(amended)).not.toBe(stateOf(first));
    const back = amended && undo(amended, whole);
    expect(back?.document).toEqual(flow);
    expect(back && redo(back.history, back.document)?.document).toEqual(whole);
  });

  it("comes too late once something else was done or taken back", () => {
    const more = record(first, connected, whole, { label: "Change", at: 1 });
    expect(amend(more, stateOf(first), connected, whole)).toBeNull();
    const back = undo(more, whole);
    expect(back && amend(back.history, stateOf(first), connected, whole)).toBeNull();
    expect(amend(emptyHistory(), 0, flow, whole)).toBeNull();
  });

  it("is none where nothing changes", () => {
    expect(amend(first, stateOf(first), connected, connected)).toBeNull();
  });
});
