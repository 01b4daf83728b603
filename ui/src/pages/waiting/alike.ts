// Finds similar open questions, and those that the user has not looked at. Pure.
import type { OpenQuestion } from "../../ipc/generated/bindings";
import { toolAsked } from "../../trust/request";

type Place = Pick<OpenQuestion, "runId" | "path" | "askedAt">;

/** Returns the key of a question. A step that asks again has a different key. */
export const keyOf = ({ runId, path, askedAt }: Place): string => `${runId}|${path}|${askedAt}`;

/**
 * Returns a key that similar questions share. It contains the store, the workflow, the node, and the kind of
 * question with its tool. Questions of different runs and iterations can share a key.
 */
export function groupOf(question: OpenQuestion): string {
  const { store, flow, flowPath, path, nodeType, question: asked } = question;
  const node = path.replaceAll(/\[\d+\]/g, "");
  return JSON.stringify([store, flowPath ?? flow, node, nodeType, asked.type, toolAsked(asked)]);
}

/** Returns the questions similar to `question`, including `question` itself, in their order. */
export function alike(questions: readonly OpenQuestion[], question: OpenQuestion): OpenQuestion[] {
  const group = groupOf(question);
  return questions.filter((one) => groupOf(one) === group);
}

/** Returns how many of the questions have not been looked at. */
export const unseen = (questions: readonly OpenQuestion[], looked: ReadonlySet<string>): number =>
  questions.filter((one) => !looked.has(keyOf(one))).length;

/**
 * Returns the key of the question to show: the current one, otherwise the next one that is still open,
 * otherwise the last one; null if there is none.
 */
export function currentAfter(
  before: readonly OpenQuestion[],
  current: string | null,
  after: readonly OpenQuestion[],
): string | null {
  const open = new Set(after.map(keyOf));
  const at = before.findIndex((one) => keyOf(one) === current);
  const following = before.slice(Math.max(0, at)).map(keyOf);
  const next = at < 0 ? after[0] : after.at(-1);
  return following.find((key) => open.has(key)) ?? (next ? keyOf(next) : null);
}
