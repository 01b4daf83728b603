// The result of one iteration of a loop, as the loop received it, and how the loop ended.

import { useMemo } from "react";
import { Segmented } from "../../components/fields";
import noteStyles from "../../components/Note.module.css";
import { reasonLook } from "../../components/reason";
import { usePastExit } from "../../node-ui/loop/past-exit";
import type { Iteration, LoopRecord, Step } from "../../runs/fold/model";
import { useRunPart } from "../../runs/view/shown";
import { exitWords } from "../../runs/words/format";
import { type Compare, useInspectorView } from "../../session/inspector-view";
import { DiffSummary, DiffView } from "./DiffView";
import styles from "./LoopOutput.module.css";
import { Plain, useStepText } from "./OutputTab";
import outputStyles from "./OutputTab.module.css";
import { StillReading } from "./StillReading";
import { wordDiff } from "./word-diff";

/**
 * Returns the step whose value became the iteration's result; null if there is no result or no such step is
 * loaded. The step's full text can be loaded; the iteration's event contains only a preview.
 */
function resultStep(iteration: Iteration | null): Step | null {
  if (iteration === null || iteration.resultPreview === null) return null;
  const steps = Object.values(iteration.scope.steps);
  return (
    steps.findLast((s) => s.status === "completed" && s.preview === iteration.resultPreview && !s.loop) ??
    null
  );
}

function useResult(
  runId: string,
  iteration: Iteration | null,
): Pick<ReturnType<typeof useStepText>, "text" | "loaded"> {
  const step = resultStep(iteration);
  const { text, loaded } = useStepText(runId, step);
  return { text: step === null ? (iteration?.resultPreview ?? "") : text, loaded };
}

type LoopOutputProps = { runId: string; loop: LoopRecord; iteration: Iteration | null };

export function LoopOutput({ runId, loop, iteration }: LoopOutputProps) {
  const { compare, setCompare } = useInspectorView();
  const { text, loaded } = useResult(runId, iteration);
  const number = iteration?.number ?? 1;
  const against = compare === "first" ? 1 : number - 1;
  const before = useResult(runId, loop.iterations[against - 1] ?? null);
  const comparing = compare !== "plain" && number > 1 && text !== "";
  const diff = useMemo(
    () => (comparing ? wordDiff(before.text, text) : null),
    [comparing, before.text, text],
  );
  const status = useRunPart((run) => run.status, undefined);
  const past = usePastExit(loop.nodeId);
  const { exitReason } = loop;
  const words = exitReason === null ? null : exitWords({ ...loop, exitReason }, status, past);
  return (
    <>
      <div className={outputStyles.bar}>
        <Segmented<Compare>
          small
          full
          label="How the result is shown"
          value={compare}
          options={[
            { value: "plain", label: "Plain" },
            { value: "previous", label: "Diff with previous" },
            { value: "first", label: "Compare to first" },
          ]}
          onChange={setCompare}
        />
      </div>
      <StillReading of={comparing ? [loaded, before.loaded] : [loaded]} />
      {diff ? (
        <>
          <DiffSummary from={against} to={number} diff={diff} text={text} />
          <DiffView diff={diff} streaming={false} />
        </>
      ) : iteration === null ? (
        <p className={noteStyles.note}>No iteration has started yet.</p>
      ) : iteration.resultPreview === null ? (
        <p className={noteStyles.note}>Iteration {number} has no result yet.</p>
      ) : (
        <Plain text={text} streaming={false} note={`Result of iteration ${number}`} />
      )}
      {words && (
        <p className={styles.exitLine}>
          <span className={reasonLook(words.tone)}>{words.title}</span>
          {words.meaning}
          {loop.exhausted && loop.exitReason !== "max_iterations" && " The exit condition was not met."}
        </p>
      )}
    </>
  );
}
