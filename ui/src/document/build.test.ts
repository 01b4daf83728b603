// The names of new nodes.
import { expect, test } from "vitest";
import type { FlowDoc, KindInfo } from "../ipc/generated/bindings";
import { kinds } from "../ipc/generated/recorded/program";
import { newNode, type Offer, serverToolOffers } from "./build";

const output = kinds.kinds.find((kind) => kind.type === "output") as KindInfo;
const offer: Offer = {
  id: "output",
  title: "Output",
  summary: "",
  icon: "box",
  kind: { ...output, defaults: { name: "result" } },
  data: {},
};

test("tools of servers are offered with the name of their server", () => {
  const preset = { ...offer, id: "mcp", data: { tool: "mcp:" } };
  const tool = (name: string) => ({ name, title: name, summary: "Says it.", args: {}, unavailable: null });
  const tools = [tool("mcp:near/say"), tool("mcp:<server>/<tool>"), tool("http.request")];
  expect(serverToolOffers([offer, preset], tools)).toMatchObject([
    { id: "mcp:near/say", title: "near say", summary: "Says it.", data: { tool: "mcp:near/say" } },
  ]);
  expect(serverToolOffers([offer], tools)).toEqual([]);
});

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
