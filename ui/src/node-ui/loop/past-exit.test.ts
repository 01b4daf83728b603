// Which loops run past their Exit, and how they are described.
import { expect, test } from "vitest";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { kinds as testKinds } from "../../ipc/generated/recorded/program";
import { testAnalysis } from "../../ipc/testing/analysis";
import { exitWords } from "../../runs/words/format";
import { ignoredBranches, pastExitReason, pastExitWords } from "./past-exit";

const kinds = new Map(testKinds.kinds.map((kind) => [kind.type, kind]));
const flow = (loop: Record<string, unknown>): FlowDoc => ({
  nodes: [
    { id: "loop", type: "loop", position: { x: 0, y: 0 }, data: loop },
    { id: "judge", type: "router", position: { x: 0, y: 0 }, data: { branches: ["done", "more"] } },
    { id: "end", type: "exit", position: { x: 0, y: 0 }, data: {} },
  ],
  edges: [
    { id: "1", source: "loop", sourceHandle: "body", target: "judge" },
    { id: "2", source: "judge", sourceHandle: "done", target: "end" },
    { id: "3", source: "judge", sourceHandle: "more", target: "loop", targetHandle: "feedback" },
  ],
});
const branches = (loop: Record<string, unknown>) => {
  const document = flow(loop);
  return ignoredBranches(document, testAnalysis(document), kinds, "loop");
};

test("only a loop that runs to its cap ignores the branch", () => {
  expect(branches({})).toEqual(["done"]);
  expect(branches({ exitCondition: "max_iterations" })).toEqual(["done"]);
  expect(branches({ exitCondition: "evaluator" })).toEqual([]);
  expect(branches({ exitCondition: "stable_output" })).toEqual([]);
});

test("it is said in one way, and never as an exit condition that was met", () => {
  const past = { first: 2, total: 3, branches: ["done"] };
  expect(pastExitWords(past)).toBe("reached in iteration 2; runs all 3");
  expect(pastExitReason(past)).toBe(
    "“done” leads to Exit but does not stop this loop, because its exit condition is Max iterations.",
  );
  const loop = { exitReason: "max_iterations" as const, exhausted: false, iterations: [] };
  expect(exitWords(loop, "completed").tone).toBe("tone-met");
  expect(exitWords(loop, "completed", past)).toEqual({
    title: "Max iterations",
    meaning: "Exit was reached in iteration 2, but the loop runs all 3 iterations.",
    tone: "tone-limit",
  });
  // A loop that ended early for another reason is described by that reason.
  expect(exitWords({ ...loop, exitReason: "error" }, "failed", past).title).not.toBe("Max iterations");
});
