// The results of checks as text, and the number of failures per iteration.
import { expect, test } from "vitest";
import type { Checked } from "../../ipc/generated/bindings";
import { checkedText, failuresOf } from "./checks";
import { foldAll } from "./reduce";
import { completed, events, iteration, iterationDone, runStarted, started } from "./samples";

const found = (ok: boolean, passed: number | null, failed: number | null): Checked => ({
  ok,
  passed,
  failed,
});

test("a check is said with its counts where they are known", () => {
  for (const [checked, text] of [
    [found(true, 14, 0), "passed: 14 tests"],
    [found(true, 1, 0), "passed: 1 test"],
    [found(true, null, null), "passed"],
    [found(false, 11, 3), "failed: 3 of 14 tests"],
    [found(false, null, 2), "failed: 2 problems"],
    [found(false, null, null), "failed"],
    [found(false, 4, 0), "failed"],
  ] as const) {
    expect(checkedText(checked)).toBe(text);
  }
});

/** Returns the failure counts of each iteration of a loop whose checks reported these results. */
const failures = (...iterations: Checked[][]): (string | null)[] => {
  const run = foldAll(
    "r1",
    events("r1", [
      runStarted(),
      started("repair"),
      ...iterations.flatMap((checks, i) => [
        iteration("repair", i),
        ...checks.flatMap((checked, j) => [
          started(`repair[${i + 1}]/tests${j}`),
          completed(`repair[${i + 1}]/tests${j}`, { checked, branch: checked.ok ? "passed" : "failed" }),
        ]),
        iterationDone("repair", i),
      ]),
    ]),
  );
  return (run.root.steps.repair?.loop?.iterations ?? []).map(failuresOf);
};

test("each iteration says how many of its tests failed", () => {
  expect(failures([found(false, 0, 14)], [found(false, 11, 3)], [found(true, 14, 0)])).toEqual([
    "14 failed",
    "3 failed",
    "0 failed",
  ]);
  expect(failures([])).toEqual([null]);
  // The failures of several checks add up. A check without counts only says that it failed.
  expect(failures([found(false, 1, 2), found(false, null, 3)])).toEqual(["5 failed"]);
  expect(failures([found(true, 3, 0), found(false, null, null)])).toEqual(["check failed"]);
  // A linter that passes with warnings has no failure.
  expect(failures([found(true, null, 2)])).toEqual(["0 failed"]);
});
