// What a branching node decided and why, for cards and panels. Pure.
import type { Json, StepDetail } from "../../ipc/generated/bindings";

/** "→ done: the draft names every source". */
export const verdictWords = (branch: string, reason: string | null): string =>
  reason === null || reason === "" ? `→ ${branch}` : `→ ${branch}: ${reason}`;

/** A JSON string from its opening quote on, also one that is not complete. */
const FIELD = (name: string) => new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)(?:"|$|\\\\$)`, "s");
const [BRANCH, REASON] = [FIELD("branch"), FIELD("reason")];

function fieldOf(text: string, pattern: RegExp): string | null {
  const written = pattern.exec(text)?.[1];
  if (written === undefined) return null;
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    // The escape at its end is not complete, or there is a line break that should be one.
    return written.replace(/\\.?[^\\]{0,4}$/, "").replaceAll("\\n", " ");
  }
}

/** A model's verdict while it is written; null before there is anything of it, the text itself where it is no JSON. */
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
  /** What went along the branch. */
  readonly value: Json;
};

/** The branch, its reason and the value of a step whose value says all three; null for another. */
export function verdictOf(branch: string | null, detail: StepDetail): Verdict | null {
  const { output } = detail;
  if (branch === null || typeof output !== "object" || output === null || Array.isArray(output)) return null;
  const { reason } = output as { reason?: Json };
  if (typeof reason !== "string" || !(branch in detail.handles)) return null;
  return { branch, reason, value: detail.handles[branch] };
}
