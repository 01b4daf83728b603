// Renamed handles keep their wires, however the name was changed.
import { describe, expect, it } from "vitest";
import type { FlowDoc } from "../ipc/generated/bindings";
import { setData } from "./edits";
import { renamed } from "./handle-names";

const flow = (data: Record<string, unknown>): FlowDoc => ({
  nodes: [
    { id: "a", type: "transform", position: { x: 0, y: 0 }, data: {} },
    { id: "merge", type: "transform", position: { x: 0, y: 0 }, data },
  ],
  edges: [
    { id: "1", source: "a", target: "merge", targetHandle: "draft" },
    { id: "2", source: "a", target: "merge", targetHandle: "critique" },
    { id: "3", source: "merge", sourceHandle: "done", target: "a" },
  ],
});
const ends = (document: FlowDoc) => document.edges.map((e) => e.targetHandle ?? e.sourceHandle);

describe("a handle that gets another name", () => {
  it("keeps its wires", () => {
    const before = flow({ inputs: ["draft", "critique"] });
    const after = setData("merge", "inputs", ["text", "critique"])(before);
    expect(ends(after)).toEqual(["text", "critique", "done"]);
    expect(after.edges[1]).toBe(before.edges[1]);
  });
  it("as a branch takes the fallback along", () => {
    const before = flow({ branches: [{ name: "done", when: "true" }, "more"], fallback: "done" });
    const after = setData("merge", "branches", [{ name: "enough", when: "true" }, "more"])(before);
    expect(ends(after)).toEqual(["draft", "critique", "enough"]);
    expect(after.nodes[1]?.data.fallback).toBe("enough");
  });
  it("as an output of a loop keeps its wires", () => {
    const before = flow({ outputs: [{ name: "done", from: "a.output" }] });
    const after = setData("merge", "outputs", [{ name: "best", from: "a.output" }])(before);
    expect(ends(after)).toEqual(["draft", "critique", "best"]);
  });
  it("is told from one that moved, was added or was removed", () => {
    expect(renamed(["a", "b"], ["b", "a"]).size).toBe(0);
    expect(renamed(["a", "b"], ["b"]).size).toBe(0);
    expect(renamed(["a"], ["a", "b"]).size).toBe(0);
    expect(renamed(["a"], [""]).size).toBe(0);
    expect(renamed(undefined, "no list").size).toBe(0);
    expect([...renamed(["a", "b"], ["c", "b"])]).toEqual([["a", "c"]]);
  });
});
