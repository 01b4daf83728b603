// Finding and replacing text in a flow.
import { describe, expect, it } from "vitest";
import type { FlowDoc } from "../ipc/generated/bindings";
import { findIn, placeOf, replacements, withText } from "./find";

const flow: FlowDoc = {
  schemaVersion: 1,
  nodes: [
    {
      id: "draft",
      type: "llm",
      position: { x: 0, y: 0 },
      data: { prompt: "Draft a draft", label: "Draft", n: 3, branches: [{ when: "draft > 1" }] },
    },
    { id: "sub", type: "subflow", position: { x: 0, y: 0 }, data: { flow: { name: "draft" } } },
  ],
  edges: [],
};
const options = {
  matchCase: false,
  kindTitle: (type: string) => type.toUpperCase(),
  skip: new Set(["flow"]),
};
const found = (query: string, matchCase = false) =>
  findIn(flow, query, { ...options, matchCase }).map(
    (hit) => `${hit.node} ${placeOf(hit.where)} ${hit.from}`,
  );

describe("finding", () => {
  it("looks at titles, ids, kinds and texts at any depth, not into other flows", () => {
    expect(found("draft")).toEqual([
      "draft label 0",
      "draft id 0",
      "draft prompt 0",
      "draft prompt 8",
      "draft branches[0].when 0",
    ]);
    expect(found("draft", true)).toEqual(["draft id 0", "draft prompt 8", "draft branches[0].when 0"]);
    expect(found("llm")).toEqual(["draft kind 0"]);
    expect(found("")).toEqual([]);
    expect(found("nothing")).toEqual([]);
  });
  it("counts characters that change their length in lower case right", () => {
    const text = "İx draft";
    const odd = {
      ...flow,
      nodes: [{ id: "a", type: "t", position: { x: 0, y: 0 }, data: { prompt: text } }],
    };
    const [hit] = findIn(odd, "draft", options);
    expect(text.slice(hit?.from, hit?.to)).toBe("draft");
  });
  it("replaces all of a text at once and leaves kinds alone", () => {
    const by = replacements(findIn(flow, "draft", options), "text");
    expect(by.map(({ where, text }) => [placeOf(where), text])).toEqual([
      ["label", "text"],
      ["id", "text"],
      ["prompt", "text a text"],
      ["branches[0].when", "text > 1"],
    ]);
    expect(replacements(findIn(flow, "LLM", options), "x")).toEqual([]);
    const { data } = flow.nodes[0] as FlowDoc["nodes"][number];
    const changed = withText(data, ["branches", 0, "when"], "x") as typeof data;
    expect(changed).toEqual({ ...data, branches: [{ when: "x" }] });
    expect(changed.prompt).toBe(data.prompt);
  });
});
