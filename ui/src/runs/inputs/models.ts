// Which models a run called.
import type { RunState, Scope, Step } from "../fold/model";

/** What the engine puts before the names of models that run here. */
const BUILT_IN = "builtin/";

/** `openai/gpt-4.1` without the provider's name. */
export const modelName = (model: string): string => model.slice(model.indexOf("/") + 1);

function collect(scope: Scope, into: Set<string>): void {
  for (const step of Object.values(scope.steps)) collectStep(step, into);
}

function collectStep({ model, loop, inner }: Step, into: Set<string>): void {
  if (model !== null) into.add(model.startsWith(BUILT_IN) ? "built-in models" : modelName(model));
  for (const iteration of loop?.iterations ?? []) collect(iteration.scope, into);
  if (inner !== null) collect(inner, into);
}

/** "gpt-4.1", or "gpt-4.1 and 2 more"; null where none was called in what has been read of the run. */
export function modelsIn(run: RunState): string | null {
  const models = new Set<string>();
  collect(run.root, models);
  const [first] = models;
  if (first === undefined) return null;
  return models.size === 1 ? first : `${first} and ${models.size - 1} more`;
}
