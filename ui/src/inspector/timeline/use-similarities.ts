// How alike each iteration's result is to the one before, where the engine was not asked to measure it: for the eye
// alone. In the chart the iteration that runs has a provisional figure, of as much of its text as there is.
import { useEffect, useState } from "react";
import { useKind } from "../../document/kinds";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { similarity } from "../../kernels/similarity";
import type { Iteration, LoopRecord, Step } from "../../runs/fold/model";
import { loadStep } from "../../runs/view/step-detail";
import { outputText } from "../run/values";

/** `value` is not a number where a text could not be read. */
export type Estimate = { readonly value: number; readonly provisional: boolean };
export type Estimates = ReadonlyMap<number, Estimate>;

const NONE: Estimates = new Map();
/** Longer texts take too long to compare at every streamed piece; their figure comes when they are complete. */
const MAX_LIVE_CHARACTERS = 3000;
/** A text that is being written is compared once it is this part of the one before. */
const ENOUGH = 1 / 3;

/** The step whose value became the iteration's result. */
export function resultStepOf(iteration: Iteration): Step | null {
  if (iteration.resultPreview === null) return null;
  const steps = Object.values(iteration.scope.steps);
  return (
    steps.findLast((s) => s.status === "completed" && s.preview === iteration.resultPreview && !s.loop) ??
    null
  );
}

/** The whole result as text; null where no step holds more than the preview of it. */
async function resultText(runId: string, iteration: Iteration): Promise<string | null> {
  const { resultPreview } = iteration;
  if (resultPreview !== null && !resultPreview.endsWith("…")) return resultPreview;
  const step = resultStepOf(iteration);
  if (step === null) return null;
  return step.text !== "" ? step.text : outputText(await loadStep(runId, step.path, step.status));
}

/** The text that streams in this iteration, where the iteration before had its result from the same node. */
function liveText(iteration: Iteration, before: Iteration): { text: string; node: string } | null {
  const node = resultStepOf(before)?.nodeId;
  const text = node === undefined ? "" : (iteration.scope.steps[node]?.text ?? "");
  return node === undefined || text === "" ? null : { text, node };
}

/** How long measuring takes at a time, in milliseconds: then the page answers before it continues. */
const MEASURE_INTERVAL_MS = 8;

/** Whether there is nothing to compare before the iteration is read. */
const mustBeRead = (iteration: Iteration) =>
  iteration.unread === true && iteration.resultPreview?.endsWith("…") === true;

/** The iterations from `first` to `last` that the engine did not compare with the one before, and that can be. */
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

/** As many figures as there is time for at once, and at least one. */
async function measure(runId: string, loop: LoopRecord, missing: readonly Iteration[]): Promise<Estimates> {
  const found = new Map<number, Estimate>();
  let spent = 0;
  for (const iteration of missing) {
    const before = loop.iterations[iteration.number - 2];
    if (spent > MEASURE_INTERVAL_MS || !before) break;
    const texts = [resultText(runId, before), resultText(runId, iteration)] as const;
    // Where a text cannot be read there is no figure.
    const [a, b] = await Promise.all(texts).catch(() => [null, null] as const);
    const begun = performance.now();
    const value = a === null || b === null ? Number.NaN : similarity(a, b);
    spent += performance.now() - begun;
    found.set(iteration.number, { value, provisional: false });
  }
  return found;
}

/**
 * `asked`: whether the engine measures this loop itself. Figures are kept per loop and iteration, and made for the
 * iterations from `first` to `last`, which are drawn: of thousands most are never looked at.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the numbers say which; a completed iteration no longer changes.
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

/** The same, of a loop in the document it ran with: which tells whether there is anything to compare. */
export function useLoopSimilarities(
  runId: string,
  loop: LoopRecord,
  document: FlowDoc | undefined,
  first: number,
  last: number,
): Estimates {
  const node = document?.nodes.find((n) => n.id === loop.nodeId);
  const repeats = useKind(node?.type ?? "")?.repeats;
  // The items of a list are not versions of one another.
  const notOurs = node?.data?.exitCondition === "stable_output" || repeats !== "loop";
  return useSimilarities(runId, loop, notOurs, first, last);
}

/** What the engine measured, else what was estimated; null where neither could be done. */
export function similarityOf(iteration: Iteration, estimates: Estimates): number | null {
  const value = iteration.similarity ?? estimates.get(iteration.number)?.value ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** The finished figures, and a provisional one of the iteration that runs. */
export function withLive(known: Estimates, iterations: readonly Iteration[]): Estimates {
  const last = iterations.at(-1);
  const before = iterations.at(-2);
  if (!last || !before || last.status !== "running") return known;
  const live = liveText(last, before);
  const previous = live && before.scope.steps[live.node]?.text;
  if (!live || !previous || live.text.length > MAX_LIVE_CHARACTERS) return known;
  // The first words of a draft are often the same, which says nothing of the rest.
  if (live.text.length < previous.length * ENOUGH) return known;
  // What has not been written yet is not different: as much of the text before is compared.
  const value = similarity(previous.slice(0, live.text.length), live.text);
  return new Map(known).set(last.number, { value, provisional: true });
}
