// The models that a run called.
import type { RunState, Scope, Step } from "../fold/model";

/** The prefix that the engine puts before the names of built-in models. */
const BUILT_IN = "builtin/";

/** Returns a model's name without its provider: `gpt-4.1` for `openai/gpt-4.1`. */
export const modelName = (model: string): string => model.slice(model.indexOf("/") + 1);

function collect(scope: Scope, into: Set<string>): void {
  for (const step of Object.values(scope.steps)) collectStep(step, into);
}

function collectStep({ model, loop, inner }: Step, into: Set<string>): void {
  if (model !== null) into.add(model.startsWith(BUILT_IN) ? "built-in models" : modelName(model));
  for (const iteration of loop?.iterations ?? []) collect(iteration.scope, into);
  if (inner !== null) collect(inner, into);
}

/**
 * Formats the models called: "gpt-4.1", or "gpt-4.1 and 2 more". Null if the loaded part of the run has no
 * calls.
 */
export function modelsIn(run: RunState): string | null {
  const models = new Set<string>();
  collect(run.root, models);
  const [first] = models;
  if (first === undefined) return null;
  return models.size === 1 ? first : `${first} and ${models.size - 1} more`;
}
