// The results of nodes that run tests, formatted as text and counted per iteration. Pure.
import type { Checked } from "../../ipc/generated/bindings";
import { plural } from "../words/format";
import type { Iteration } from "./model";

/**
 * Formats a check's result: "passed: 14 tests", "failed: 3 of 14 tests", or the verdict alone when there are
 * no counts. Same text as `loopwright runs show`.
 */
export function checkedText({ ok, passed, failed }: Checked): string {
  const verdict = ok ? "passed" : "failed";
  if (ok) return passed === null ? verdict : `${verdict}: ${plural(passed, "test")}`;
  if (failed === null || failed === 0) return verdict;
  return passed === null
    ? `${verdict}: ${plural(failed, "problem")}`
    : `${verdict}: ${failed} of ${plural(passed + failed, "test")}`;
}

/**
 * Formats the number of failures in an iteration, over all its checks: "3 failed", or "check failed" if a
 * failed check reported no number. Null if no check has run.
 */
export function failuresOf(iteration: Iteration): string | null {
  const checks = Object.values(iteration.scope.steps).flatMap((step) => step.checked ?? []);
  if (checks.length === 0) return null;
  // A failed check without a count makes the sum incomplete, so the text gives no number.
  if (checks.some(({ ok, failed }) => !ok && !failed)) return "check failed";
  return `${checks.reduce((sum, { ok, failed }) => sum + (ok ? 0 : (failed ?? 0)), 0)} failed`;
}
