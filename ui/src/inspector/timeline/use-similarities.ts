// The similarity of each iteration's result to the previous one, for loops whose similarity the engine does
// not measure. It is only displayed. For the running iteration the chart shows a provisional value, computed
// from the text so far.
import { useEffect, useState } from "react";
import { useKind } from "../../document/kinds";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { similarity } from "../../kernels/similarity";
import type { Iteration, LoopRecord, Step } from "../../runs/fold/model";
import { loadStep } from "../../runs/view/step-detail";
import { outputText } from "../run/values";

/** The similarity from 0 to 1; NaN if one of the texts could not be read. */
export type Estimate = { readonly value: number; readonly provisional: boolean };
export type Estimates = ReadonlyMap<number, Estimate>;

const NONE: Estimates = new Map();
/**
 * The maximum length, in characters, at which streaming text is compared again with each piece. Longer text
 * is compared once it is complete.
 */
const MAX_LIVE_CHARACTERS = 3000;
/** Streaming text is compared once it has this fraction of the previous text's length. */
const ENOUGH = 1 / 3;

/**
 * Returns the step whose value became the iteration's result; null if there is no result or no such step is
 * loaded.
 */
export function resultStepOf(iteration: Iteration): Step | null {
  if (iteration.resultPreview === null) return null;
  const steps = Object.values(iteration.scope.steps);
  return (
    steps.findLast((s) => s.status === "completed" && s.preview === iteration.resultPreview && !s.loop) ??
    null
  );
}

/** Returns the complete result as text; null if only a preview is available. */
async function resultText(runId: string, iteration: Iteration): Promise<string | null> {
  const { resultPreview } = iteration;
  if (resultPreview !== null && !resultPreview.endsWith("…")) return resultPreview;
  const step = resultStepOf(iteration);
  if (step === null) return null;
  return step.text !== "" ? step.text : outputText(await loadStep(runId, step.path, step.status));
}

/**
 * Returns what the node that produced the previous result has written in this iteration so far; null if it
 * has written nothing.
 */
function liveText(iteration: Iteration, before: Iteration): { text: string; node: string } | null {
  const node = resultStepOf(before)?.nodeId;
  const text = node === undefined ? "" : (iteration.scope.steps[node]?.text ?? "");
  return node === undefined || text === "" ? null : { text, node };
}

/** The maximum time of a batch of comparisons, in milliseconds. Between batches the page handles input. */
const MEASURE_INTERVAL_MS = 8;

/** Returns whether the iteration has to be loaded before its result can be compared. */
const mustBeRead = (iteration: Iteration) =>
  iteration.unread === true && iteration.resultPreview?.endsWith("…") === true;

/**
 * Returns the iterations from `first` to `last` whose similarity is missing: the engine did not measure it,
 * it is not computed yet, and both results are available.
 */
export function missingOf(
  { iterations }: LoopRecord,
  known: Estimates,
  first: number,
  last: number,
): Iteration[] {
  return iterations.slice(Math.max(1, first - 1), last).filter((iteration) => {
    const before = iterations[iteration.number - 2];
    if (iteration.status !== "completed" || iteration.similarity !== null) return false;
    return before && !known.has(iteration.number) && !mustBeRead(iteration) && !mustBeRead(before);
  });
}

/** Measures as many similarities as fit into one batch, at least one. */
async function measure(runId: string, loop: LoopRecord, missing: readonly Iteration[]): Promise<Estimates> {
  const found = new Map<number, Estimate>();
  let spent = 0;
  for (const iteration of missing) {
    const before = loop.iterations[iteration.number - 2];
    if (spent > MEASURE_INTERVAL_MS || !before) break;
    const texts = [resultText(runId, before), resultText(runId, iteration)] as const;
    // If one of the texts cannot be read, there is no similarity.
    const [a, b] = await Promise.all(texts).catch(() => [null, null] as const);
    const begun = performance.now();
    const value = a === null || b === null ? Number.NaN : similarity(a, b);
    spent += performance.now() - begun;
    found.set(iteration.number, { value, provisional: false });
  }
  return found;
}

/**
 * Returns the similarities of a loop, cached per loop and iteration. Only those of the drawn iterations
 * `first` to `last` are computed, since most iterations of a long loop are never viewed. If `asked` is true,
 * nothing is computed: the engine measures the loop itself, or its results are not comparable.
 */
export function useSimilarities(
  runId: string,
  loop: LoopRecord,
  asked: boolean,
  first: number,
  last: number,
): Estimates {
  const [found, setFound] = useState<{ of: string; values: Estimates }>({ of: "", values: NONE });
  const of = `${runId}|${loop.path}`;
  const known = found.of === of ? found.values : NONE;
  const missing = asked ? [] : missingOf(loop, known, first, last);
  const numbers = missing.map(({ number }) => number).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the numbers identify the iterations, and a completed one no longer changes.
  useEffect(() => {
    if (missing.length === 0) return;
    let wanted = true;
    void measure(runId, loop, missing).then((values) => {
      if (wanted) setFound({ of, values: new Map([...known, ...values]) });
    });
    return () => {
      wanted = false;
    };
  }, [of, numbers]);
  return known;
}

/**
 * Like `useSimilarities`, for a loop in `document`, the flow of its run. The flow tells whether the results
 * of the loop are to be compared.
 */
export function useLoopSimilarities(
  runId: string,
  loop: LoopRecord,
  document: FlowDoc | undefined,
  first: number,
  last: number,
): Estimates {
  const node = document?.nodes.find((n) => n.id === loop.nodeId);
  const repeats = useKind(node?.type ?? "")?.repeats;
  // The items of a list are not versions of one another, so they are not compared.
  const notOurs = node?.data?.exitCondition === "stable_output" || repeats !== "loop";
  return useSimilarities(runId, loop, notOurs, first, last);
}

/** Returns the engine's measurement, otherwise the estimate; null if there is neither. */
export function similarityOf(iteration: Iteration, estimates: Estimates): number | null {
  const value = iteration.similarity ?? estimates.get(iteration.number)?.value ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** Returns the known similarities, and a provisional one for the running iteration. */
export function withLive(known: Estimates, iterations: readonly Iteration[]): Estimates {
  const last = iterations.at(-1);
  const before = iterations.at(-2);
  if (!last || !before || last.status !== "running") return known;
  const live = liveText(last, before);
  const previous = live && before.scope.steps[live.node]?.text;
  if (!live || !previous || live.text.length > MAX_LIVE_CHARACTERS) return known;
  // The beginnings of drafts are often equal, which says nothing about the rest.
  if (live.text.length < previous.length * ENOUGH) return known;
  // Text not written yet is not a difference, so only a prefix of the same length is compared.
  const value = similarity(previous.slice(0, live.text.length), live.text);
  return new Map(known).set(last.number, { value, provisional: true });
}
