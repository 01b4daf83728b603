// Which parts of a flow are copied, and how they change when pasted.
import { beforeEach, describe, expect, it } from "vitest";
import { replaceBackend } from "../ipc/client";
import type { FlowDoc } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { useFoldedLoops } from "../session/folds";
import { useSession } from "../session/session";
import { useDocument } from "./document";
import { copied, cornerOf, fragmentOf, newIds, readFragment, writeFragment } from "./fragment";
import { changeGroup, groupNodes, groupsOf, joinGroups, removeFromGroups, ungroup } from "./groups";
import { putFragment } from "./paste";

const flow: FlowDoc = {
  schemaVersion: 1,
  name: "A",
  nodes: [
    { id: "a", type: "input", position: { x: 0, y: 40 }, data: { label: "A" }, extra: 1 },
    { id: "b", type: "llm", position: { x: 100, y: 0 }, data: { label: "B 2", prompt: "{{ a }}" } },
    { id: "c", type: "output", position: { x: 200, y: 0 }, data: {} },
  ],
  edges: [
    { id: "e1", source: "a", target: "b", style: "dotted" },
    { id: "e2", source: "b", target: "c" },
  ],
  groups: [{ id: "g", title: "Both", colour: "blue", nodes: ["a", "b"], own: 1 }],
};
const picked = fragmentOf(flow, new Set(["a", "b"]));

describe("a fragment", () => {
  it("takes the wires and groups within, and survives the clipboard", () => {
    expect(picked.edges.map((e) => e.id)).toEqual(["e1"]);
    expect(readFragment(writeFragment(picked))).toEqual(picked);
    expect(cornerOf(picked)).toEqual({ x: 0, y: 0 });
    expect(fragmentOf(flow, new Set(["b", "c"])).groups).toEqual([]);
  });
  it("is read leniently, and is nothing where there are no nodes", () => {
    for (const text of ["", "hello", "[]", "{}", '{"nodes": []}', '{"nodes": [{"id": 1}]}'])
      expect(readFragment(text)).toBeNull();
    const nodes = [
      { id: "x", type: "llm" },
      { id: "x", type: "llm" },
      null,
      { id: "y", type: "note", data: 3 },
    ];
    const read = readFragment(
      JSON.stringify({
        nodes,
        edges: [
          { source: "x", target: "y" },
          { id: "e", source: "x", target: "z" },
        ],
      }),
    );
    expect(read?.nodes.map((n) => [n.id, n.data])).toEqual([
      ["x", {}],
      ["x_2", {}],
      ["y", {}],
    ]);
    expect(read?.edges).toEqual([{ id: "e0", source: "x", target: "y" }]);
  });
  it("is nothing where another system wrote the nodes", () => {
    const node = { id: "a", type: "n8n-nodes-base.if", position: [240, 300] };
    expect(readFragment(JSON.stringify({ nodes: [node] }))).toBeNull();
    expect(
      readFragment(JSON.stringify({ nodes: [{ ...node, position: undefined }], connections: {} })),
    ).toBeNull();
  });
  it("gets new ids where it goes, in wires, groups and data; titles are told apart", () => {
    const names = newIds(flow, picked);
    expect(Object.fromEntries(names)).toEqual({ a: "a_2", b: "b_2" });
    const copy = copied(flow, picked, names, { b: { label: "B 2", prompt: "{{ a_2 }}" } }, { x: 40, y: 20 });
    expect(copy.nodes).toEqual([
      { id: "a_2", type: "input", position: { x: 40, y: 60 }, data: { label: "A 2" }, extra: 1 },
      { id: "b_2", type: "llm", position: { x: 140, y: 20 }, data: { label: "B 3", prompt: "{{ a_2 }}" } },
    ]);
    expect(copy.edges).toEqual([{ id: "e1_2", source: "a_2", target: "b_2", style: "dotted" }]);
    expect(copy.groups).toMatchObject([{ id: "g_2", nodes: ["a_2", "b_2"], own: 1 }]);
    // Two outputs with one name cannot run.
    const out = { id: "o", type: "output", position: { x: 0, y: 0 }, data: { name: "letter" } };
    const two = { nodes: [out, { ...out, id: "p", data: { name: "letter_2" } }], edges: [], groups: [] };
    const named = copied({ ...two, nodes: [out] }, two, new Map(), {}, { x: 0, y: 0 }).nodes;
    expect(named.map(({ data }) => data.name)).toEqual(["letter_2", "letter_3"]);
    const empty = { ...flow, nodes: [], edges: [], groups: [] };
    expect(newIds(empty, picked).size).toBe(0);
  });
});

describe("pasting", () => {
  beforeEach(() => {
    replaceBackend({
      ...testBackend(),
      renameNodes: async (part, names) => {
        expect(part.nodes.map((n) => n.id)).toEqual(["a", "b"]);
        return { data: { b: { label: "B 2", prompt: `{{ ${names.a} }}` } }, places: 1, unread: [] };
      },
    });
    useDocument.getState().open({ document: flow, path: null, version: null });
    useSession.getState().select(["c"]);
  });
  it("is one entry, whose undo selects what was selected before", async () => {
    expect(await putFragment(picked, { x: 20, y: 20 }, "Paste 2 nodes")).toEqual(["a_2", "b_2"]);
    const { document, history } = useDocument.getState();
    expect(document.nodes.at(-1)?.data.prompt).toBe("{{ a_2 }}");
    expect(groupsOf(document)).toHaveLength(2);
    expect(history.done.map((entry) => entry.label)).toEqual(["Paste 2 nodes"]);
    expect([...useSession.getState().selection.nodes]).toEqual(["a_2", "b_2"]);
    useDocument.getState().undo();
    expect(useDocument.getState().document).toEqual(flow);
    expect([...useSession.getState().selection.nodes]).toEqual(["c"]);
    useDocument.getState().redo();
    expect([...useSession.getState().selection.nodes]).toEqual(["a_2", "b_2"]);
  });

  it("a copy of a folded loop is folded, as what is copied looks", async () => {
    useFoldedLoops.setState({ folded: new Set(["b", "sub/a"]) });
    await putFragment(picked, { x: 20, y: 20 }, "Paste 2 nodes");
    expect([...useFoldedLoops.getState().folded]).toEqual(["b", "sub/a", "b_2"]);
  });
});

describe("groups", () => {
  it("hold each node once, and go with their last node", () => {
    const two = groupNodes(["b", "c"], "New", "pink")(flow);
    expect(groupsOf(two).map(({ id, nodes }) => [id, nodes])).toEqual([
      ["g", ["a"]],
      ["group", ["b", "c"]],
    ]);
    const one = removeFromGroups(new Set(["a"]))(two);
    expect(groupsOf(one).map(({ id }) => id)).toEqual(["group"]);
    const folded = changeGroup("group", { collapsed: true, title: "T" })(one);
    expect(groupsOf(folded)[0]).toMatchObject({ collapsed: true, title: "T", colour: "pink" });
    expect("groups" in ungroup("group")(folded)).toBe(false);
    expect(removeFromGroups(new Set(["x"]))(flow)).toBe(flow);
  });
  it("take what is dropped in their frame, by its middle", () => {
    const two = groupNodes(["c"], "New", "pink")(flow);
    const at = (left: number, top = 0) => ({ left, top, right: left + 100, bottom: top + 60 });
    const boxes = new Map([
      ["a", at(0)],
      ["b", at(400)],
      ["c", at(1000)],
      ["d", at(2000)],
    ]);
    const joined = (dropped: Record<string, ReturnType<typeof at>>) =>
      groupsOf(joinGroups(new Map(Object.entries(dropped)), boxes)(two)).map(({ id, nodes }) => [id, nodes]);
    const before = [
      ["g", ["a", "b"]],
      ["group", ["c"]],
    ];
    expect(joined({ d: at(200) })).toEqual([
      ["g", ["a", "b", "d"]],
      ["group", ["c"]],
    ]);
    expect(joined({ d: at(600) })).toEqual(before);
    // A node moves from one group to another. A frame dragged as a whole adds no nodes and joins no group.
    expect(joined({ b: at(1010) })).toEqual([
      ["g", ["a"]],
      ["group", ["c", "b"]],
    ]);
    expect(joined({ c: at(200) })).toEqual(before);
    expect(joined({ a: at(20) })).toEqual(before);
    const folded = changeGroup("g", { collapsed: true })(two);
    expect(joinGroups(new Map([["d", at(200)]]), boxes)(folded)).toBe(folded);
  });
  it("that are malformed are kept out of view", () => {
    expect(groupsOf({ groups: [null, { id: 1 }, { id: "x", nodes: ["a", 3], colour: "red" }] })).toEqual([
      { id: "x", nodes: ["a"], colour: "grey", title: "", collapsed: false },
    ]);
    expect(groupsOf({ groups: "no" })).toEqual([]);
  });
});
