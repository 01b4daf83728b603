// The decision of a branching node and its reason, for cards and panels. Pure.
import type { Json, StepDetail } from "../../ipc/generated/bindings";

/** Formats a decision: "→ done: the draft names every source". */
export const verdictWords = (branch: string, reason: string | null): string =>
  reason === null || reason === "" ? `→ ${branch}` : `→ ${branch}: ${reason}`;

/**
 * Returns a pattern that matches a JSON string field with this name, even if the string is still incomplete.
 */
const FIELD = (name: string) => new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)(?:"|$|\\\\$)`, "s");
const [BRANCH, REASON] = [FIELD("branch"), FIELD("reason")];

function fieldOf(text: string, pattern: RegExp): string | null {
  const written = pattern.exec(text)?.[1];
  if (written === undefined) return null;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    // The text may end in an incomplete escape, or contain a raw line break.
    return written.replace(/\\.?[^\\]{0,4}$/, "").replaceAll("\\n", " ");
  }
}

/**
 * Returns the readable part of a verdict that is still streaming; null while it has none. Text that is not
 * JSON is returned unchanged.
 */
export function verdictSoFar(text: string): string | null {
  if (!/^\s*(?:```\w*\s*)?\{/.test(text)) return text === "" ? null : text;
  const branch = fieldOf(text, BRANCH);
  const reason = fieldOf(text, REASON);
  if (branch === null || branch === "") return reason;
  return verdictWords(branch, reason);
}

export type Verdict = {
  readonly branch: string;
  readonly reason: string;
  /** The value that the node sent through the branch. */
  readonly value: Json;
};

/**
 * Returns the branch, reason and value of a step; null if it took no branch, gave no reason, or sent no value
 * through the branch.
 */
export function verdictOf(branch: string | null, detail: StepDetail): Verdict | null {
  const { output } = detail;
  if (branch === null || typeof output !== "object" || output === null || Array.isArray(output)) return null;
  const { reason } = output as { reason?: Json };
  if (typeof reason !== "string" || !(branch in detail.handles)) return null;
  return { branch, reason, value: detail.handles[branch] };
}
