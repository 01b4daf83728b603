// The text for a place in a run: the node's title if the document is available.
import { expect, test } from "vitest";
import type { FlowDoc, FlowNode } from "../../ipc/generated/bindings";
import { placeWords } from "./path";

const node = (id: string, data: FlowNode["data"]): FlowNode => ({
  id,
  type: "llm",
  position: { x: 0, y: 0 },
  data,
});
const inner = { name: "Inner", nodes: [node("check", { label: "Fact check" })], edges: [] };
const flow: FlowDoc = {
  name: "A",
  nodes: [node("draft", { label: "First draft" }), { ...node("sub", { flow: inner }), type: "subflow" }],
  edges: [],
};

test("a node has its title and the iteration around it", () => {
  expect(placeWords("refine[2]/draft", flow)).toBe("First draft, iteration 2");
  expect(placeWords("draft", flow)).toBe("First draft");
  expect(placeWords("refine[2]/gone", flow)).toBe("iteration 2");
});

test("a node inside a subflow is looked for there", () => {
  expect(placeWords("sub/check", flow)).toBe("Fact check");
});

test("without the document nothing is named by its id", () => {
  expect(placeWords("refine[2]/draft")).toBe("iteration 2");
  expect(placeWords("draft")).toBe("a step");
});
