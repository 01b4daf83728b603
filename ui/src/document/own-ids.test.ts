// Duplicate ids in a file: each node and wire gets its own, and nothing is lost.
import { expect, test } from "vitest";
import type { FlowDoc } from "../ipc/generated/bindings";
import { isDirty, useDocument } from "./document";
import { ownIds } from "./own-ids";

const origin = { x: 0, y: 0 };
const doubled: FlowDoc = {
  nodes: [
    { id: "a", type: "input", position: origin, data: {} },
    { id: "b", type: "transform", position: origin, data: { template: "one" } },
    { id: "b", type: "transform", position: origin, data: { template: "two", label: "Second" } },
    { id: "b_2", type: "output", position: origin, data: {} },
  ],
  edges: [
    { id: "e", source: "a", target: "b" },
    { id: "e", source: "b", target: "b_2" },
  ],
};

test("the first of two keeps the id, and the second gets a free one", () => {
  const { document, notes } = ownIds(doubled);
  expect(document.nodes.map((node) => [node.id, node.data.template])).toEqual([
    ["a", undefined],
    ["b", "one"],
    ["b_3", "two"],
    ["b_2", undefined],
  ]);
  expect(document.edges.map(({ id, source, target }) => [id, source, target])).toEqual([
    ["e", "a", "b"],
    ["e_2", "b", "b_2"],
  ]);
  expect(notes).toEqual(["Two nodes had the id “b”: the second (“Second”) is now “b_3”, without wires."]);
});

test("a document without any is left as it is", () => {
  const { document } = ownIds(doubled);
  expect(ownIds(document)).toEqual({ document, notes: [] });
  expect(ownIds(document).document).toBe(document);
  const bare = { nodes: [] } as unknown as FlowDoc;
  expect(ownIds(bare).document).toBe(bare);
});

test("a file that has some is not as it is saved once it is open", () => {
  const open = (document: FlowDoc) =>
    useDocument.getState().open({ document, path: "/x.flow.json", version: "1" });
  open(doubled);
  expect(isDirty(useDocument.getState())).toBe(true);
  expect(useDocument.getState().document.nodes).toHaveLength(4);
  open(ownIds(doubled).document);
  expect(isDirty(useDocument.getState())).toBe(false);
});
