// The small drawing of a template: its positions, wires and hulls depend only on the document.
import { describe, expect, test } from "vitest";
import type { FlowDoc, KindInfo, Region } from "../../ipc/generated/bindings";
import { columnsOf, miniGraph } from "./mini-graph";

const kind = (type: string, more: Partial<KindInfo> = {}) =>
  [
    type,
    {
      type,
      category: "io",
      icon: type,
      outputs: [{ name: "out", primary: true, valueType: "json" }],
      ...more,
    },
  ] as [string, KindInfo];
const byType = new Map([
  kind("input"),
  kind("loop", { repeats: "loop" }),
  kind("exit", { shape: "scope_end", pairedWith: "loop" }),
  kind("llm", { category: "ai" }),
  kind("note", { shape: "annotation" }),
]);
const node = (id: string, type: string, x: number, y = 0) => ({ id, type, position: { x, y }, data: {} });
const document: FlowDoc = {
  nodes: [
    node("in", "input", 0),
    node("loop", "loop", 240),
    node("a", "llm", 480),
    node("exit", "exit", 700),
    node("n", "note", 0, 900),
  ],
  edges: [
    { id: "e1", source: "in", target: "loop" },
    { id: "e2", source: "a", target: "loop", targetHandle: "feedback" },
    { id: "e3", source: "gone", target: "a" },
    { id: "e4", source: "loop", target: "a" },
    { id: "e5", source: "a", target: "exit" },
  ],
};
const region = { start: "loop", end: "exit", repeats: "loop", body: ["a"], feedbackEdges: ["e2"] } as Region;

test("a node stands one column behind the last that leads to it", () => {
  const wire = (source: string, target: string) => ({ source, target });
  const edges = [
    wire("a", "b"),
    wire("b", "d"),
    wire("a", "c"),
    wire("c", "c2"),
    wire("c2", "d"),
    wire("gone", "a"),
  ];
  expect([...columnsOf(["d", "c2", "c", "b", "a"], edges).values()]).toEqual([3, 2, 1, 1, 0]);
});

test("a circle ends", () => {
  const edges = [
    { source: "a", target: "b" },
    { source: "b", target: "a" },
  ];
  expect(Math.max(...columnsOf(["a", "b"], edges).values())).toBeLessThanOrEqual(2);
});

describe("miniGraph", () => {
  const graph = miniGraph(document, byType, [region]);

  test("draws every node but notes, from left to right", () => {
    expect(graph.nodes.map((n) => n.id)).toEqual(["in", "loop", "a", "exit"]);
    const xs = graph.nodes.map((n) => n.x);
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
  });

  test("marks the loop family and draws its hull around the body", () => {
    expect(graph.nodes.filter((n) => n.loops).map((n) => n.id)).toEqual(["loop", "exit"]);
    const [hull] = graph.hulls;
    const a = graph.nodes.find((n) => n.id === "a");
    expect(hull && a && hull.x < a.x && hull.x + hull.width > a.x).toBe(true);
  });

  test("feedback is its own kind of wire; a wire to nowhere is left out", () => {
    expect(graph.wires.map((w) => [w.id, w.type])).toEqual([
      ["e1", "json"],
      ["e2", "feedback"],
      ["e4", "json"],
      ["e5", "json"],
    ]);
  });
});
