// Human-readable amounts.
import { expect, test } from "vitest";
import { EXIT_REASONS } from "../../ipc/generated/bindings";
import { addUsage, usageSince } from "../fold/model";
import { calls } from "../fold/samples";
import {
  callWords,
  cutOffWords,
  exitMeaning,
  exitTitle,
  exitTone,
  exitWords,
  formatCost,
  formatUsd,
  skipWords,
} from "./format";

test("a price has as many places as matter, and what was paid is never nothing", () => {
  expect([0, 0.00001, 0.00005, 0.0123, 0.5, 12].map(formatUsd)).toEqual([
    "$0",
    "< $0.0001",
    "$0.0001",
    "$0.012",
    "$0.50",
    "$12.00",
  ]);
});

test("a cost tells what is free from what is not known", () => {
  expect([calls(0), calls(1, 1, null), calls(1, 1, 0), calls(1, 1, 0.00001)].map(formatCost)).toEqual([
    "no calls",
    "not known",
    "free",
    "< $0.0001",
  ]);
});

test("calls that were cut off are said beside all", () => {
  const cutOff = { ...calls(2, 0, null), cut_off_calls: 2 };
  expect([calls(1), calls(2), cutOff].map(callWords)).toEqual(["1 call", "2 calls", "2 calls, 2 cut off"]);
  expect([cutOffWords(calls(2)), cutOffWords(cutOff)]).toEqual(["", "2 cut off"]);
  expect(addUsage(cutOff, calls(1))).toMatchObject({ calls: 3, cost_usd: null, cut_off_calls: 2 });
  expect(usageSince(cutOff, cutOff)).not.toHaveProperty("cut_off_calls");
});

test("no reason to leave a loop is shown by its name, and an exhausted loop never looks as if its exit was met", () => {
  expect(EXIT_REASONS.length).toBeGreaterThan(8);
  for (const { reason } of EXIT_REASONS) {
    expect(exitTitle(reason)).not.toContain("_");
    expect(exitMeaning({ exitReason: reason, exhausted: false, iterations: [{}] as never })).toMatch(/\.$/);
    expect(["tone-met", "tone-settled"]).not.toContain(exitTone(reason, true));
  }
  expect(exitTitle("evaluator_done")).toBe("Evaluator satisfied");
  expect(exitTone("stable_output")).toBe("tone-settled");
});

test("a run that went as far as it was asked to was not stopped", () => {
  const loop = { exitReason: "cancelled", exhausted: false, iterations: [] } as const;
  expect(exitWords(loop, "completed")).toEqual({
    title: "Ran to here",
    meaning: "The run was asked to end here.",
    tone: "tone-settled",
  });
  expect(exitWords(loop, "cancelled").title).toBe("Stopped");
  expect(exitWords({ ...loop, exitReason: "timeout" }, "completed").tone).toBe("tone-limit");
});

test("behind the word that says that a node was skipped, the reason does not say it again", () => {
  expect([
    skipWords("last_iteration", "not run: last iteration"),
    skipWords("branch_not_taken", "branch not taken"),
    skipWords(null, "not run in this iteration"),
  ]).toEqual(["last iteration", "branch not taken", "not run in this iteration"]);
});
