// How alike each iteration's result is to the one before, where the engine was not asked to measure it: for the chart
// alone. The iteration that runs has a provisional figure, of as much of its text as there is.
import { useEffect, useState } from "react";
import { similarity } from "../../kernels/similarity";
import type { Iteration, LoopRecord, Step } from "../../runs/model";
import { loadStep } from "../../runs/step-detail";
import { outputText } from "../run/values";

export type Estimate = { readonly value: number; readonly provisional: boolean };
export type Estimates = ReadonlyMap<number, Estimate>;

const NONE: Estimates = new Map();
/** Longer texts take too long to compare at every streamed piece; their figure comes when they are complete. */
const LONGEST_LIVE = 3000;

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

/** `asked`: whether the engine measures this loop itself. Figures are kept per loop and iteration. */
export function useSimilarities(runId: string, loop: LoopRecord, asked: boolean): Estimates {
  const [found, setFound] = useState<{ of: string; values: Estimates }>({ of: "", values: NONE });
  const of = `${runId}|${loop.path}`;
  const known = found.of === of ? found.values : NONE;
  const { iterations } = loop;
  const missing = asked
    ? undefined
    : iterations.find(
        (it, i) => i > 0 && it.status === "completed" && it.similarity === null && !known.has(it.number),
      );
  const before = missing && iterations[missing.number - 2];
  // biome-ignore lint/correctness/useExhaustiveDependencies: one figure at a time; a completed iteration no longer changes.
  useEffect(() => {
    if (!missing || !before) return;
    let wanted = true;
    const add = (value: number) => {
      if (!wanted) return;
      const values = new Map(known);
      values.set(missing.number, { value, provisional: false });
      setFound({ of, values });
    };
    Promise.all([resultText(runId, before), resultText(runId, missing)]).then(
      ([a, b]) => add(a === null || b === null ? Number.NaN : similarity(a, b)),
      () => add(Number.NaN),
    );
    return () => {
      wanted = false;
    };
  }, [of, missing?.number, known]);
  return withLive(known, iterations);
}

/** The finished figures, and a provisional one of the iteration that runs. */
export function withLive(known: Estimates, iterations: readonly Iteration[]): Estimates {
  const last = iterations.at(-1);
  const before = iterations.at(-2);
  if (!last || !before || last.status !== "running") return known;
  const live = liveText(last, before);
  const previous = live && before.scope.steps[live.node]?.text;
  if (!live || !previous || live.text.length > LONGEST_LIVE) return known;
  // What has not been written yet is not different: as much of the text before is compared.
  const value = similarity(previous.slice(0, live.text.length), live.text);
  return new Map(known).set(last.number, { value, provisional: true });
}
