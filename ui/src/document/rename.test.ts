// Renaming: the id derived from a title, and one undo entry for title, id, wires, groups and references.
import { beforeEach, describe, expect, it } from "vitest";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useSession } from "../session/session";
import { useDocument } from "./document";
import { groupsOf } from "./groups";
import { idFor, idProblem, renameNode } from "./rename";

const flow: FlowDoc = {
  schemaVersion: 1,
  nodes: [
    { id: "llm_2", type: "llm", position: { x: 0, y: 0 }, data: { label: "LLM 2" } },
    { id: "merge", type: "transform", position: { x: 0, y: 0 }, data: { template: "{{ llm_2 }}" } },
    { id: "x1", type: "llm", position: { x: 0, y: 0 }, data: { label: "Critic" } },
  ],
  edges: [{ id: "e", source: "llm_2", target: "merge" }],
  groups: [{ id: "g", title: "G", colour: "blue", nodes: ["llm_2", "merge"] }],
};

const asked: unknown[] = [];

beforeEach(() => {
  asked.length = 0;
  replaceBackend({
    ...testBackend(),
    renameNodes: async (document, names) => {
      asked.push([document.nodes.length, names]);
      return { data: { merge: { template: "{{ draft }}" } }, places: 1, unread: [] };
    },
  });
  useDocument.getState().open({ document: flow, path: null, version: null });
  useSession.getState().select(["llm_2"]);
});

describe("an id", () => {
  it("follows the title where it was made from one", () => {
    const [llm, , critic] = flow.nodes;
    if (!llm || !critic) throw new Error("nodes are missing");
    expect(idFor(flow, llm, "Draft it")).toBe("draft_it");
    expect(idFor(flow, llm, "Merge")).toBe("merge_2");
    expect(idFor(flow, critic, "Judge")).toBe("x1");
    expect(idProblem(flow, "llm_2", "merge")).toContain("Another node has the id");
    expect(idProblem(flow, "llm_2", " ")).toContain("Enter an id");
  });
});

describe("renaming", () => {
  it("changes wires, groups and templates as one entry, and undo brings all back", async () => {
    expect(await renameNode("llm_2", "Draft", "draft")).toBeNull();
    expect(asked).toEqual([[3, { llm_2: "draft" }]]);
    const { document, history } = useDocument.getState();
    expect(document.nodes.map(({ id, data }) => [id, data.label ?? data.template])).toEqual([
      ["draft", "Draft"],
      ["merge", "{{ draft }}"],
      ["x1", "Critic"],
    ]);
    expect(document.edges[0]?.source).toBe("draft");
    expect(groupsOf(document)[0]?.nodes).toEqual(["draft", "merge"]);
    expect(history.done.map((entry) => entry.label)).toEqual(["Rename to “Draft”"]);
    expect([...useSession.getState().selection.nodes]).toEqual(["draft"]);
    useDocument.getState().undo();
    expect(useDocument.getState().document).toEqual(flow);
    expect([...useSession.getState().selection.nodes]).toEqual(["llm_2"]);
  });
  it("asks nobody for a title alone, and says why an id is refused", async () => {
    expect(await renameNode("llm_2", "Other", "llm_2")).toBeNull();
    expect(await renameNode("llm_2", "Other", "merge")).toContain("Another node has the id");
    expect(asked).toEqual([]);
  });
});
