// The names that the pickers of a condition offer.
import { describe, expect, test } from "vitest";
import type { FlowDoc, FlowNode, HandleInfo } from "../../ipc/generated/bindings";
import { foldAll } from "../../runs/fold/reduce";
import { completed, events, iteration, iterationDone, runStarted, started } from "../../runs/fold/samples";
import { conditionNames, type NameSources } from "./names";

const loop: FlowNode = {
  id: "refine",
  type: "loop",
  position: { x: 0, y: 0 },
  data: { inputName: "state", variables: [{ name: "tries", initial: 0 }, { name: "" }] },
};
const node = (id: string, type: string, label?: string): FlowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: label === undefined ? {} : { label },
});
const document: FlowDoc = {
  nodes: [
    node("brief", "input", "Brief"),
    loop,
    node("draft", "llm", "Draft"),
    node("my judge", "router", "Judge"),
    node("fix", "transform", "Fix"),
    node("exit", "exit"),
    node("after", "transform", "After"),
  ],
  edges: [
    { id: "1", source: "brief", target: "refine" },
    { id: "2", source: "exit", target: "after" },
  ],
};
const handle = (name: string, primary = false): HandleInfo => ({
  name,
  label: name,
  valueType: "any",
  primary,
  many: false,
  always: false,
});
const outputs: Record<string, HandleInfo[]> = {
  brief: [handle("value", true)],
  draft: [handle("response", true), handle("usage")],
  "my judge": [handle("done", true), handle("more")],
  fix: [handle("output", true)],
};
const sources: NameSources = {
  document,
  region: { start: "refine", body: ["draft", "my judge", "fix"], tail: ["fix"], end: "exit" },
  outputs: (id) => outputs[id] ?? [],
  kindOf: (type) => ({ shape: type === "router" ? "branching" : "plain" }),
  run: null,
  choice: {},
};
const names = (test: "before" | "after", more: Partial<NameSources> = {}) =>
  conditionNames(loop, test, { ...sources, ...more }).flatMap((group) => group.names.map((n) => n.name));

describe("conditionNames", () => {
  test("after a pass: its result, its input by both names, variables, and what has run by then", () => {
    expect(names("after")).toEqual([
      ...["result", "input", "state", "vars.tries"],
      ...["draft", "draft.usage", 'nodes["my judge"]'],
      ...["loopCount", "loopIndex", "brief"],
    ]);
  });

  test("before a pass: the coming input and the pass before, with its tail", () => {
    const before = names("before");
    expect(before).toContain("loopResult");
    expect(before).toContain("previous.draft");
    expect(before).toContain('previous["my judge"]');
    expect(before).toContain("previous.fix");
    expect(before).not.toContain("result");
    expect(before).not.toContain("draft");
  });

  test("what was last there is shown, and the fields of an object are names of their own", () => {
    const draft = { ...completed("draft"), path: "refine[1]/draft", preview: '{"score":7,"why it":"so"}' };
    const run = foldAll(
      "r1",
      events("r1", [
        runStarted(),
        started("refine", 5),
        iteration("refine", 0, 5),
        draft,
        { ...iterationDone("refine", 0), result_preview: "Bread rises." },
      ]),
    );
    const groups = conditionNames(loop, "after", { ...sources, run });
    const all = new Map(groups.flatMap((g) => g.names.map((n) => [n.name, n.last])));
    expect(all.get("result")).toBe("Bread rises.");
    expect(all.get("draft.score")).toBe("7");
    expect(all.get('draft["why it"]')).toBe("so");
    expect(all.get("vars.tries")).toBe("first 0");
  });
});
