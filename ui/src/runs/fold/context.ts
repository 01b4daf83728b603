// How full the context of the models in a loop is: the prompts of each iteration, compared with the context
// windows, and a warning if the next prompt will not fit. Pure. The command line computes the same from the
// recorded events (`records/src/context.rs`). Both are tested with `context_cases.json`.
import { formatCount } from "../words/format";
import type { Iteration, LoopRecord, Scope } from "./model";

/** The longest prompt of a step in tokens, with the model that it was sent to. */
export type Prompt = { readonly tokens: number; readonly model: string | null };

/** The prompts that were sent in a loop, and the loop's progress. */
export type LoopPrompts = {
  /**
   * The prompts, by iteration number and then by the path of the step within the iteration: `draft`,
   * `polish/draft`.
   */
  readonly prompts: ReadonlyMap<number, ReadonlyMap<string, Prompt>>;
  /** The number of the iteration that began last. */
  readonly current: number;
  /** Whether that iteration is in progress. */
  readonly running: boolean;
  /** The maximum number of iterations; null if there is none. */
  readonly total: number | null;
  /**
   * Whether another iteration may follow, with prompts that may be longer. False for a list, whose items are
   * independent.
   */
  readonly open: boolean;
};

/** The fullest prompt of an iteration. */
export type IterationContext = {
  readonly iteration: number;
  readonly node: string;
  readonly model: string | null;
  readonly tokens: number;
  /** The context window of the model in tokens; null if it is unknown. */
  readonly window: number | null;
  /**
   * Whether the prompt is an estimate from the two previous iterations, because the step has not ended yet.
   */
  readonly estimated: boolean;
};

export type LoopContext = {
  readonly iterations: readonly IterationContext[];
  /** The first prompt that will not fit if the prompts grow as before; null if all prompts fit. */
  readonly tooLong: IterationContext | null;
};

/** Returns the context window of a model in tokens; null if it is unknown. */
export type WindowOf = (model: string) => number | null;

/**
 * Estimates a step's prompt in the iteration after `iteration`, assuming that the prompt grows by as many
 * tokens as it did in `iteration`. Returns null if the step has no prompt in one of the last two iterations.
 */
function nextPrompt({ prompts }: LoopPrompts, iteration: number, node: string): Prompt | null {
  const last = prompts.get(iteration)?.get(node);
  const before = prompts.get(iteration - 1)?.get(node);
  if (last === undefined || before === undefined) return null;
  return { tokens: Math.max(0, 2 * last.tokens - before.tokens), model: last.model };
}

/** Returns the fullest prompt of each iteration that has one, and the first prompt that will not fit. */
export function loopContext(loop: LoopPrompts, windowOf: WindowOf): LoopContext {
  const shown = (iteration: number, node: string, prompt: Prompt, estimated: boolean): IterationContext => ({
    iteration,
    node,
    model: prompt.model,
    tokens: prompt.tokens,
    window: prompt.model === null ? null : windowOf(prompt.model),
    estimated,
  });
  const iterations: IterationContext[] = [];
  for (let iteration = 1; iteration <= loop.current; iteration++) {
    const known = loop.prompts.get(iteration);
    const all = sorted(known).map(([node, prompt]) => shown(iteration, node, prompt, false));
    if (iteration === loop.current && loop.running && loop.open) {
      for (const [node] of sorted(loop.prompts.get(iteration - 1))) {
        const prompt = known?.has(node) ? null : nextPrompt(loop, iteration - 1, node);
        if (prompt !== null) all.push(shown(iteration, node, prompt, true));
      }
    }
    const one = fullest(all);
    if (one !== null) iterations.push(one);
  }
  return { iterations, tooLong: loop.open ? firstTooLong(loop, shown) : null };
}

function firstTooLong(
  loop: LoopPrompts,
  shown: (iteration: number, node: string, prompt: Prompt, estimated: boolean) => IterationContext,
): IterationContext | null {
  // While an iteration is in progress, steps that have not run in it yet may not fit into it.
  const first = loop.running ? loop.current - 1 : loop.current;
  for (let last = first; last <= loop.current; last++) {
    if (loop.total !== null && last + 1 > loop.total) return null;
    const all = sorted(loop.prompts.get(last)).flatMap(([node]) => {
      if (last < loop.current && loop.prompts.get(loop.current)?.has(node)) return [];
      const prompt = nextPrompt(loop, last, node);
      return prompt === null ? [] : [shown(last + 1, node, prompt, true)];
    });
    const tooLong = fullest(all.filter(({ tokens, window }) => window !== null && tokens > window));
    if (tooLong !== null) return tooLong;
  }
  return null;
}

/** Returns the prompts of an iteration, sorted by the path of their step, as on the command line. */
const sorted = (prompts: ReadonlyMap<string, Prompt> | undefined): [string, Prompt][] =>
  [...(prompts ?? [])].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/**
 * Returns the prompt with the largest share of its context window, or the prompt with the most tokens if any
 * window is unknown. In a tie, returns the first. Returns null if there are no prompts.
 */
function fullest(prompts: readonly IterationContext[]): IterationContext | null {
  const areKnown = prompts.every(({ window }) => window !== null);
  const size = ({ tokens, window }: IterationContext) => (areKnown ? tokens / (window ?? 1) : tokens);
  const [first, ...others] = prompts;
  if (first === undefined) return null;
  return others.reduce((best, one) => (size(one) > size(best) ? one : best), first);
}

/** Collects the prompts of a loop. `open` has the meaning of `LoopPrompts.open`. */
export function promptsOf(loop: LoopRecord, open: boolean): LoopPrompts {
  const prompts = new Map<number, ReadonlyMap<string, Prompt>>();
  for (const iteration of loop.iterations) {
    const found = promptsIn(iteration);
    if (found.size > 0) prompts.set(iteration.number, found);
  }
  const running = loop.iterations.some((one) => one.number === loop.current && one.status === "running");
  return { prompts, current: loop.current, running, total: loop.total, open };
}

function promptsIn(iteration: Iteration): ReadonlyMap<string, Prompt> {
  const found = new Map<string, Prompt>();
  const longest = iteration.usage.longest_prompt ?? 0;
  // The steps of an evicted iteration are not known, only the longest of their prompts.
  if (iteration.unread) return longest === 0 ? found : found.set("", { tokens: longest, model: null });
  collect(iteration.scope, "", found);
  return found;
}

/** Collects the longest prompt of each step, including those in inner loops and subflows. */
function collect(scope: Scope, around: string, found: Map<string, Prompt>): void {
  for (const step of Object.values(scope.steps)) {
    const node = `${around}${step.nodeId}`;
    if (step.loop !== null) for (const one of step.loop.iterations) collect(one.scope, `${node}/`, found);
    else if (step.inner !== null) collect(step.inner, `${node}/`, found);
    else {
      const tokens = step.usage.longest_prompt ?? 0;
      if (tokens > (found.get(node)?.tokens ?? 0)) found.set(node, { tokens, model: step.model });
    }
  }
}

/** Returns the models that received the prompts of a loop. */
export function modelsOf({ prompts }: LoopPrompts): string[] {
  const all = [...prompts.values()].flatMap((of) => [...of.values()].flatMap(({ model }) => model ?? []));
  return [...new Set(all)].sort();
}

/** Returns the name of a model without its provider. */
export const bareModel = (model: string): string => model.slice(model.indexOf("/") + 1);

/**
 * Formats a prompt's size as "12,431 of 128,000 tokens (10%)", or without the context window if that is
 * unknown.
 */
export function promptWords(tokens: number, window: number | null): string {
  if (window === null) return `${formatCount(tokens)} tokens`;
  const percent = Math.round((tokens / window) * 100);
  return `${formatCount(tokens)} of ${formatCount(window)} tokens (${percent}%)`;
}

/** Returns a message that says that a prompt will not fit, and what to do. */
export function tooLongWords({ iteration, tokens, model, window }: IterationContext): string {
  return `Iteration ${iteration} will not fit: its prompt will be about ${formatCount(roundedUp(tokens))} tokens, and ${bareModel(model ?? "")} takes ${formatCount(window ?? 0)}. Reduce what the loop appends (Keep), or choose a model with a larger context.`;
}

/** Rounds an estimate up to two significant digits below 10,000, and to thousands above. */
function roundedUp(tokens: number): number {
  const step = tokens < 1000 ? 10 : tokens < 10_000 ? 100 : 1000;
  return Math.ceil(tokens / step) * step;
}

/** Formats a number of tokens briefly: "812", "12.4k", "131k", "1.05M". */
export function shortTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 99_950) return `${(tokens / 1000).toFixed(1)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  return `${(tokens / 1_000_000).toFixed(2)}M`;
}
