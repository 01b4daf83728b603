// The descriptions of differences between two versions of a flow.
// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { FlowDoc } from "../ipc/generated/bindings";
import { differences, sameJson } from "./differences";

const node = (id: string, data: Record<string, unknown> = {}, x = 0) => ({
  id,
  type: "llm",
  position: { x, y: 0 },
  data,
});
const flow = (nodes: FlowDoc["nodes"], edges: FlowDoc["edges"] = [], more = {}): FlowDoc => ({
  nodes,
  edges,
  ...more,
});

describe("differences", () => {
  it("are none between the same documents, whatever the order of fields", () => {
    const a = flow([node("a", { x: 1, y: { z: [1, null] } })]);
    const b = flow([node("a", { y: { z: [1, null] }, x: 1 })]);
    expect(differences(a, b)).toEqual([]);
  });
  it("name nodes by their labels and say what of them", () => {
    const before = flow([node("a", { label: "Draft", prompt: "x" }), node("b"), node("c")]);
    const after = flow([
      node("a", { label: "Draft", prompt: "y", model: "m" }),
      node("b", {}, 20),
      node("d"),
    ]);
    expect(differences(before, after)).toEqual([
      "Changed: Draft (prompt, model)",
      "Added: d",
      "Removed: c",
      "Moved: 1 node",
    ]);
  });
  it("count wires by their ends, and name fields of the workflow", () => {
    const wire = (id: string, target: string) => ({ id, source: "a", target });
    const before = flow([], [wire("1", "b"), wire("2", "c")], {
      name: "x",
      viewport: { x: 0, y: 0, zoom: 1 },
    });
    const after = flow([], [wire("9", "b"), wire("2", "d"), wire("3", "e")], { name: "y" });
    expect(differences(before, after)).toEqual([
      "2 wires added, 1 wire removed",
      "Changed in the workflow: name",
    ]);
  });
  it("stay short", () => {
    const after = flow(["a", "b", "c", "d", "e", "f", "g", "h"].map((id) => node(id)));
    expect(differences(flow([]), after)).toEqual(["Added: a, b, c, d, e, f and 2 more"]);
  });
  it("tell a list from an object", () => {
    expect(sameJson([], {})).toBe(false);
    expect(sameJson({ a: undefined }, {})).toBe(false);
  });
});
