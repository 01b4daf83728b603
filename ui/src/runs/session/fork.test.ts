// The places where a run can be forked, what can be edited there, and how the cost is described.
import { beforeEach, describe, expect, test } from "vitest";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { editables, keptWords, mostWords, placeFor, restWords } from "../../inspector/run/ForkPopover";
import type { FlowDoc, FlowNode, KindInfo } from "../../ipc/generated/bindings";
import { costEstimate } from "../../ipc/testing/values";
import { useChosenIteration } from "../../session/chosen-iteration";
import { usageSince } from "../fold/model";
import { foldAll } from "../fold/reduce";
import { events, refine } from "../fold/samples";
import { toKeep } from "../inputs/pins";
import { iterationTarget, nodeTarget, pathIn, readTyped, settingsOf, useFork } from "./fork";
import { proposedUsd } from "./over-budget";
import { useRuns } from "./store";

const node = (id: string, data: FlowNode["data"]): FlowNode => ({
  id,
  type: "llm",
  position: { x: 0, y: 0 },
  data,
});
const document: FlowDoc = {
  name: "Test",
  nodes: [
    node("refine", { limits: { maxIterations: 3 }, exitCondition: "evaluator" }),
    node("draft", { label: "Draft", temperature: 0.5, prompt: "Write.", tools: [] }),
    node("critique", {}),
  ],
  edges: [],
};
const state = foldAll("r1", events("r1", refine()));

beforeEach(() => {
  useDocument.getState().open({ document, path: null, version: null });
  useChosenIteration.getState().reset();
  useRuns.setState({ live: { state, document, flowPath: null, live: true }, past: null });
});

describe("the place of a fork", () => {
  test("is the shown pass of the selected node", () => {
    useChosenIteration.getState().choose("refine", 2);
    const target = nodeTarget("draft");
    expect(target).toMatchObject({
      runId: "r1",
      title: "Fork from Draft, iteration 2",
      step: { path: "refine[2]/draft", nodeId: "draft", usage: expect.objectContaining({ calls: 1 }) },
      iteration: { path: "refine[2]", number: 2 },
      beyond: null,
    });
    if (!target) throw new Error("no target");
    expect(editables(target)).toEqual(["output", "input", "setting", "again"]);
    expect(placeFor(target, "output", false)).toBe("refine[2]/draft");
    expect(placeFor(target, "input", false)).toBe("refine[2]");
    expect(placeFor(target, "setting", false)).toBe("refine[2]/draft");
  });

  test("follows the iteration that is chosen while it is asked about", () => {
    useChosenIteration.getState().choose("refine", 2);
    const target = nodeTarget("draft");
    if (!target) throw new Error("no target");
    useFork.getState().open(target);
    useChosenIteration.getState().choose("refine", 1);
    expect(useFork.getState().target).toMatchObject({
      title: "Fork from Draft, iteration 1",
      step: { path: "refine[1]/draft" },
    });
    useFork.getState().close();
    useChosenIteration.getState().choose("refine", 2);
    expect(useFork.getState().target).toBeNull();
  });

  test("of what gives its items in turn no output can be given", () => {
    const each = { type: "llm", repeats: "each" } as KindInfo;
    useKinds.setState({ byType: new Map([["llm", each]]) });
    const target = nodeTarget("draft");
    useKinds.setState({ byType: new Map() });
    expect(target && editables(target)).toEqual(["input", "setting", "again"]);
  });

  test("is an iteration of the timeline's loop, or behind its last one", () => {
    useChosenIteration.getState().choose("refine", 1);
    const target = iterationTarget("refine");
    expect(target).toMatchObject({ step: null, iteration: { path: "refine[1]" }, beyond: "refine[4]" });
    if (!target) throw new Error("no target");
    expect(editables(target)).toEqual(["input", "setting", "again"]);
    expect(placeFor(target, "input", false)).toBe("refine[1]");
    expect(placeFor(target, "setting", true)).toBe("refine[4]");
  });

  test("is nowhere where the node did not run", () => {
    expect(nodeTarget("nobody")).toBeNull();
    useRuns.setState({ live: null });
    expect(nodeTarget("draft")).toBeNull();
  });

  test("to run from a node it is the chosen iteration, else the first", () => {
    expect(pathIn(state, { refine: 2 }, "draft")).toBe("refine[2]/draft");
    expect(pathIn(state, null, "draft")).toBe("refine[1]/draft");
    expect(pathIn(state, null, "topic")).toBe("topic");
    expect(pathIn(state, null, "nobody")).toBeNull();
  });
});

describe("what is edited", () => {
  test("settings that are one value each, prompts first", () => {
    expect(settingsOf(document.nodes[1] ?? null).map((s) => s.field)).toEqual(["prompt", "temperature"]);
    expect(settingsOf(document.nodes[0] ?? null)).toEqual([
      { field: "exitCondition", value: "evaluator" },
      { field: "limits.maxIterations", value: 3 },
    ]);
    expect(settingsOf(null)).toEqual([]);
  });

  test("a text stays a text, anything else is read as JSON", () => {
    expect(readTyped("3", "a text")).toEqual({ value: "3" });
    expect(readTyped("4", 3)).toEqual({ value: 4 });
    expect(readTyped("four", 3)).toHaveProperty("error");
    expect(readTyped("{", { branch: "done" })).toHaveProperty("error");
  });

  test("what depended on it is counted, and not the step itself where its output is given", () => {
    const usage = (calls: number, cost_usd: number | null) => ({
      calls,
      input_tokens: 1,
      output_tokens: 1,
      cost_usd,
    });
    expect(restWords(usage(3, 0.03), false)).toBe("Reruns 3 calls, $0.030.");
    const rest = usageSince(usage(1, 0.01), usage(3, 0.03));
    expect(restWords(rest, false)).toBe("Reruns 2 calls, $0.020.");
    expect(restWords(usageSince(usage(1, null), usage(1, null)), false)).toBe(
      "The original run made no calls after this point.",
    );
  });

  test("what is kept is not paid again", () => {
    const kept = { calls: 4, input_tokens: 1, output_tokens: 1, cost_usd: 0.03 };
    const most = costEstimate({ maxCalls: 10, maxUsd: 0.1, maxTokens: 1000 });
    expect(keptWords({ kept })).toBe("Reuses 4 calls ($0.030).");
    expect(mostWords({ kept }, most)).toBe("At most $0.070.");
    expect(mostWords({ kept }, { ...most, maxUsd: null })).toBe("The maximum cost is not known.");
    expect(mostWords({ kept }, { ...most, maxUsd: 0 })).toBe("Free.");
  });
});

test("a larger budget is proposed in whole cents, and more than the one before", () => {
  expect([0.0001, 0.004, 0.25, 0.333, 1].map(proposedUsd)).toEqual([0.0002, 0.008, 0.5, 0.67, 2]);
});

test("of too many pins those of the files pinned last are kept", () => {
  const byFile = { old: { a: "x".repeat(50) }, middle: { b: "y" }, newest: { c: "z" } };
  expect(Object.keys(toKeep(byFile, 80))).toEqual(["middle", "newest"]);
  expect(toKeep(byFile)).toEqual(byFile);
});
