// The decision of a branching node, while it is streamed and afterwards.
// @vitest-environment node
import { expect, test } from "vitest";
import type { StepDetail } from "../../ipc/generated/bindings";
import { verdictOf, verdictSoFar, verdictWords } from "./verdict";

test("a verdict reads as the branch and why", () => {
  expect(verdictWords("done", "every source is named")).toBe("→ done: every source is named");
  expect(verdictWords("done", "")).toBe("→ done");
  expect(verdictWords("done", null)).toBe("→ done");
});

test("while it is written it is never shown as JSON", () => {
  const whole = '{ "branch": "done", "reason": "He said \\"enough\\".\\nAll is \\u00e9tabli." }';
  for (let length = 1; length <= whole.length; length += 1) {
    const shown = verdictSoFar(whole.slice(0, length));
    expect(shown ?? "").not.toContain("{");
    expect(shown ?? "").not.toContain('"branch"');
  }
  expect(verdictSoFar(whole)).toBe('→ done: He said "enough".\nAll is établi.');
  expect(verdictSoFar("{")).toBeNull();
  expect(verdictSoFar('```json\n{"branch": "done", "rea')).toBe("→ done");
  expect(verdictSoFar('{"reason": "not yet')).toBe("not yet");
  expect(verdictSoFar("done: it is")).toBe("done: it is");
  expect(verdictSoFar("")).toBeNull();
});

test("the value of a verdict is what went along its branch", () => {
  const detail = (output: unknown) => ({ output, handles: { done: "the draft" } }) as unknown as StepDetail;
  const value = { selectedBranch: "done", value: "the draft", reason: "good" };
  expect(verdictOf("done", detail(value))).toEqual({ branch: "done", reason: "good", value: "the draft" });
  expect(verdictOf("gone", detail(value))).toBeNull();
  expect(verdictOf(null, detail(value))).toBeNull();
  expect(verdictOf("done", detail({ valid: true }))).toBeNull();
  expect(verdictOf("done", detail("text"))).toBeNull();
});
