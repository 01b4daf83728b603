// What nodes that run tests found, in words, and by iteration. Pure.
import type { Checked } from "../../ipc/generated/bindings";
import { plural } from "../words/format";
import type { Iteration } from "./model";

/** "passed: 14 tests", "failed: 3 of 14 tests"; without counts the verdict alone. As `loopwright runs show` says it. */
export function checkedText({ ok, passed, failed }: Checked): string {
  const verdict = ok ? "passed" : "failed";
  if (ok) return passed === null ? verdict : `${verdict}: ${plural(passed, "test")}`;
  if (failed === null || failed === 0) return verdict;
  return passed === null
    ? `${verdict}: ${plural(failed, "problem")}`
    : `${verdict}: ${failed} of ${plural(passed + failed, "test")}`;
}

/** How many failed in an iteration, by all of its checks: "3 failed". Null where it has none, or they are still to run. */
export function failuresOf(iteration: Iteration): string | null {
  const checks = Object.values(iteration.scope.steps).flatMap((step) => step.checked ?? []);
  if (checks.length === 0) return null;
  // A check that fails without a count of failures says more than a sum without it.
  if (checks.some(({ ok, failed }) => !ok && !failed)) return "check failed";
  return `${checks.reduce((sum, { ok, failed }) => sum + (ok ? 0 : (failed ?? 0)), 0)} failed`;
}
