// The breadcrumbs to the shown subflow, across files.
import { expect, test } from "vitest";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { crumbsOf } from "./Breadcrumbs";

const node = (id: string, data: Record<string, unknown>) => ({
  id,
  type: "subflow",
  position: { x: 0, y: 0 },
  data,
});
const flow = (name: string, ...nodes: FlowDoc["nodes"]): FlowDoc => ({ name, nodes, edges: [] });

test("parts are called as their nodes, and where a file begins it is named", () => {
  const deep = flow("Deep");
  const file = flow("In a file", node("inner", { flow: deep }));
  const root = flow(
    "Whole",
    node("a", { label: "First", flow: flow("A", node("b", { label: "Second", ref: "b.loop" })) }),
  );
  const parents = [
    {
      root,
      inside: ["a"],
      id: "outer",
      node: "b",
      path: "/flows/whole.loop",
      version: "1",
      savedAt: null,
      history: { done: [], undone: [], base: 0, nextState: 1 },
      savedState: 0,
    },
  ];
  expect(crumbsOf({ parents, root: file, inside: ["inner"], path: "/flows/b.loop" })).toEqual([
    { label: "whole.loop", file: null },
    { label: "First", file: null },
    { label: "Second", file: "/flows/b.loop" },
    { label: "inner", file: null },
  ]);
});
