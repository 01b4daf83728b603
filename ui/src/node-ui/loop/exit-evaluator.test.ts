// The evaluator that ends a loop, and moving its wire to another branch.
import { expect, test } from "vitest";
import type { FlowDoc, KindInfo, Region } from "../../ipc/generated/bindings";
import { setEvaluator } from "./Evaluator";
import { currentEvaluators, decidingBranches, possibleEvaluators } from "./exit-evaluator";

const node = (id: string, type: string, label?: string) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: label ? { label } : {},
});
const document: FlowDoc = {
  nodes: [
    node("loop", "loop"),
    node("judge", "router", "Enough?"),
    node("tidy", "transform"),
    node("exit", "exit"),
  ],
  edges: [
    { id: "1", source: "loop", sourceHandle: "body", target: "judge" },
    { id: "2", source: "judge", sourceHandle: "done", target: "exit", targetHandle: "input" },
    { id: "3", source: "judge", sourceHandle: "more", target: "loop", targetHandle: "feedback" },
  ],
};
const region = { start: "loop", end: "exit", body: ["judge", "tidy"] } as unknown as Region;
const handle = (name: string) => ({
  name,
  label: name,
  valueType: "any" as const,
  primary: false,
  many: false,
  always: false,
});

const result = { ...handle("result"), always: true };
const shapes = new Map<string, Pick<KindInfo, "shape" | "outputs">>([
  ["router", { shape: "branching", outputs: [] }],
  ["transform", { shape: "plain", outputs: [] }],
  ["check", { shape: "branching", outputs: [handle("passed"), handle("failed"), result] }],
]);

test("the branch that leads to Exit decides, also by way of other nodes", () => {
  expect(currentEvaluators(document, region, shapes).map((d) => d.label)).toEqual(["Enough? › done"]);
  const through: FlowDoc = {
    ...document,
    edges: [
      { id: "2", source: "judge", sourceHandle: "done", target: "tidy" },
      { id: "4", source: "tidy", target: "exit" },
    ],
  };
  expect(currentEvaluators(through, region, shapes).map((d) => d.label)).toEqual(["Enough? › done"]);
  expect(currentEvaluators({ ...document, edges: [] }, region, shapes)).toEqual([]);
});

test("branches that all lead to Exit decide nothing, and a loop inside decides about itself", () => {
  const handles = () => [handle("done"), handle("more")];
  const deciding = (edges: FlowDoc["edges"], regions: Region[] = [], body = ["judge", "tidy"]) =>
    decidingBranches({ ...document, edges }, { ...region, body }, shapes, handles, regions).map(
      ({ node: of, handle: by }) => `${of}.${by}`,
    );
  const leads = (id: string, sourceHandle: string, target: string) => ({
    id,
    source: "judge",
    sourceHandle,
    target,
  });
  const onward = { id: "9", source: "tidy", target: "exit" };
  expect(deciding([leads("1", "done", "exit")])).toEqual(["judge.done"]);
  expect(deciding([leads("1", "branch-1", "tidy"), onward])).toEqual(["judge.more"]);
  expect(deciding([leads("1", "done", "exit"), leads("2", "more", "tidy"), onward])).toEqual([]);
  // The Router ends an inner loop, whose own Exit always leads on.
  const inner = { start: "tidy", end: "inside", body: ["judge"] } as unknown as Region;
  const around = [leads("1", "done", "inside"), { id: "2", source: "inside", target: "exit" }];
  expect(deciding(around, [inner], ["tidy", "judge", "inside"])).toEqual([]);
});

test("another branch takes the wire over, and nothing else changes", () => {
  const all = possibleEvaluators(document, region, shapes, () => [handle("done"), handle("more")]);
  expect(all.map((d) => d.label)).toEqual(["Enough? › done", "Enough? › more"]);
  const [from, to] = all;
  if (!from || !to) throw new Error("there are two branches");
  const next = setEvaluator(region, from, to)(document);
  expect(next.edges.map((e) => [e.source, e.sourceHandle, e.target])).toEqual([
    ["loop", "body", "judge"],
    ["judge", "more", "loop"],
    ["judge", "more", "exit"],
  ]);
  expect(next.edges.at(-1)?.targetHandle).toBe("input");
  expect(setEvaluator(region, to, from)(document)).toBe(document);
});

test("an output that always has a value decides nothing", () => {
  const checked: FlowDoc = {
    nodes: [...document.nodes, node("tests", "check", "Tests")],
    edges: [
      { id: "1", source: "judge", sourceHandle: "done", target: "tests" },
      { id: "2", source: "tests", sourceHandle: "result", target: "exit" },
    ],
  };
  const inside = { ...region, body: [...region.body, "tests"] };
  expect(currentEvaluators(checked, inside, shapes).map((d) => d.label)).toEqual(["Enough? › done"]);
  const all = possibleEvaluators(checked, inside, shapes, (id) =>
    id === "tests" ? [handle("passed"), result] : [],
  );
  expect(all.map((d) => d.label)).toEqual(["Tests › passed"]);
});
