// New nodes: what they are called.
import { expect, test } from "vitest";
import type { FlowDoc, KindInfo } from "../ipc/generated/bindings";
import { newNode, type Offer } from "./build";

const offer: Offer = {
  id: "output",
  title: "Output",
  summary: "",
  icon: "box",
  kind: { type: "output", defaults: { name: "result" } } as unknown as KindInfo,
  data: {},
};

test("neither the label nor the name of a new node is another's", () => {
  let document: FlowDoc = { schemaVersion: 1, nodes: [], edges: [] };
  for (let i = 0; i < 3; i++) {
    const node = newNode(document, offer, { x: 0, y: 0 });
    document = { ...document, nodes: [...document.nodes, node] };
  }
  expect(document.nodes.map(({ data }) => [data.label, data.name])).toEqual([
    ["Output", "result"],
    ["Output 2", "result_2"],
    ["Output 3", "result_3"],
  ]);
});
