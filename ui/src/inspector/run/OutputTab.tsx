// The output of a node at the shown iteration: plain, or compared with the previous or the first iteration.

import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { classes } from "../../components/classes";
import { Segmented } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { StreamingText } from "../../components/StreamingText";
import { useKind } from "../../document/kinds";
import { titleIn } from "../../kernels/node-title";
import type { Iteration, Step } from "../../runs/fold/model";
import { type Verdict, verdictOf, verdictSoFar } from "../../runs/fold/verdict";
import { useChoice, useRunPart, useShownRun } from "../../runs/view/shown";
import { type Loaded, useStepDetail } from "../../runs/view/step-detail";
import { loopAround, shownLoop, stepIn } from "../../runs/view/view";
import { type Compare, useInspectorView } from "../../session/inspector-view";
import { CopyButton, DiffSummary, DiffView } from "./DiffView";
import diffStyles from "./DiffView.module.css";
import styles from "./OutputTab.module.css";
import { round } from "./StatGrid";
import { StillReading } from "./StillReading";
import { FormChoice, LongText, ValueView } from "./ValueView";
import { outputText, valueText } from "./values";
import { wordDiff } from "./word-diff";

/**
 * The interval at which the diff of streaming text is recomputed, in milliseconds: short enough to look
 * smooth, and long enough to leave time for the rest of the window.
 */
const STREAM_DIFF_MS = 160;

/** The length, in characters, above which streaming text is compared only once it is complete. */
const STREAM_CHARACTERS = 6000;

type StepText = {
  text: string;
  loaded: Loaded;
  /**
   * The branch that a branching node took and the reason; null for other nodes. With a verdict, `text` is the
   * value that left through the branch.
   */
  verdict: Verdict | null;
};

/**
 * Returns the text of a step: the streamed text while the step runs, then the stored text, or its preview
 * until the stored text is loaded. `loaded` says which one it is.
 */
export function useStepText(runId: string, step: Step | null): StepText {
  const asks = step !== null && step.status === "completed" && step.loop === null;
  const loaded = useStepDetail(runId, step?.path ?? null, asks ? step.status : null);
  if (step === null) return { text: "", loaded, verdict: null };
  if (loaded.state === "ready") {
    const verdict = verdictOf(step.branch, loaded.detail);
    const text = verdict === null ? outputText(loaded.detail) : valueText(verdict.value);
    return { text, loaded, verdict };
  }
  return { text: step.text || step.preview || "", loaded, verdict: null };
}

type OutputProps = { runId: string; step: Step; iteration: Iteration | null };

export function OutputTab({ runId, step, iteration }: OutputProps) {
  const { text: written, loaded, verdict } = useStepText(runId, step);
  const type = useShownRun()?.document.nodes.find(({ id }) => id === step.nodeId)?.type ?? "";
  const decides = useKind(type)?.shape === "branching";
  // A streaming verdict is shown as a verdict.
  const text = decides && step.status === "running" ? (verdictSoFar(written) ?? "") : written;
  const streaming = step.status === "running";
  const number = iteration?.number ?? null;
  const { nodeId } = step;
  const { compare, setCompare } = useInspectorView();
  const choice = useChoice();
  const long = streaming && text.length > STREAM_CHARACTERS;
  const inLoop = useRunPart((run) => loopAround(run, nodeId) !== null, false);
  const against = compare === "first" ? 1 : (number ?? 1) - 1;
  const comparing = inLoop && compare !== "plain" && number !== null && number > 1;
  const otherStep = useRunPart((run) => (comparing ? stepIn(run, choice, nodeId, against) : null), null);
  const before = useStepText(runId, otherStep);
  const compares = comparing && !long;
  return (
    <>
      {inLoop && (
        <div className={styles.bar}>
          <Segmented<Compare>
            small
            full
            label="How the output is shown"
            value={compare}
            options={[
              { value: "plain", label: "Plain" },
              { value: "previous", label: "Diff with previous" },
              { value: "first", label: "Compare to first" },
            ]}
            onChange={setCompare}
          />
        </div>
      )}
      {verdict && (
        <p className={styles.verdict} data-testid="verdict">
          <b>→ {verdict.branch}</b>
          {verdict.reason !== "" && <span>{verdict.reason}</span>}
        </p>
      )}
      <StillReading of={compares ? [loaded, before.loaded] : [loaded]} />
      {long ? (
        <Plain
          text={text}
          streaming
          note={comparing ? "The comparison appears when the output is complete." : ""}
        />
      ) : compares ? (
        <Difference before={before.text} after={text} from={against} to={number} streaming={streaming} />
      ) : (
        <Plain
          text={text}
          streaming={streaming}
          note={
            compare !== "plain" && number === 1
              ? "This is the first iteration, so there is nothing to compare."
              : ""
          }
          empty={step.status === "waiting" ? "Nothing yet." : undefined}
        />
      )}
      {iteration && iteration.number > 1 && iteration.inputPreview !== "" && (
        <CameIn runId={runId} step={step} iteration={iteration} />
      )}
    </>
  );
}

function Difference(props: { before: string; after: string; from: number; to: number; streaming: boolean }) {
  const settled = useSettled(props.after, props.streaming);
  const after = useDeferredValue(settled);
  const diff = useMemo(
    () => wordDiff(props.before, after, props.streaming),
    [props.before, after, props.streaming],
  );
  return (
    <>
      <DiffSummary from={props.from} to={props.to} diff={diff} text={props.after} />
      <DiffView diff={diff} streaming={props.streaming} />
    </>
  );
}

/**
 * Returns the value. While it changes, the result is updated at most every `STREAM_DIFF_MS`; the final value
 * is returned immediately.
 */
function useSettled(value: string, changing: boolean): string {
  const [settled, setSettled] = useState(value);
  const newest = useRef(value);
  newest.current = value;
  useEffect(() => {
    if (!changing) return;
    setSettled(newest.current);
    const timer = setInterval(() => setSettled(newest.current), STREAM_DIFF_MS);
    return () => clearInterval(timer);
  }, [changing]);
  return changing ? settled : value;
}

type PlainProps = {
  text: string;
  streaming: boolean;
  note?: React.ReactNode;
  markdown?: boolean;
  /** The text shown instead of an empty output. */
  empty?: string;
};

export function Plain({ text, streaming, note, markdown, empty = "No output." }: PlainProps) {
  return (
    <>
      <div className={diffStyles.summary}>
        <span className={diffStyles.note}>{note}</span>
        <span className={diffStyles.space} />
        {!streaming && !markdown && <FormChoice value={text} />}
        <CopyButton text={text} />
      </div>
      <section
        className={classes(diffStyles.diff, streaming && diffStyles.grows, streaming && diffStyles.follows)}
        aria-label="Output"
        data-testid="output-text"
        data-text=""
      >
        {streaming ? (
          <StreamingText text={text} label="Output so far" />
        ) : markdown ? (
          <LongText text={text} markdown />
        ) : (
          text !== "" && <ValueView value={text} />
        )}
        {text === "" && !streaming && <span className="text-tertiary">{empty}</span>}
      </section>
    </>
  );
}

/**
 * Shows the feedback that this iteration received. If a model commented on the previous result without
 * producing it, as a critic does, the feedback is that model's answer. Otherwise it is the value that the
 * previous iteration returned.
 */
function CameIn({ runId, step, iteration }: { runId: string; step: Step; iteration: Iteration }) {
  const choice = useChoice();
  const { nodeId } = step;
  const document = useShownRun()?.document;
  const loopId = useRunPart((run) => loopAround(run, nodeId), null);
  const type = document?.nodes.find((node) => node.id === loopId)?.type ?? "";
  // A list's item comes from the list, not from the previous item.
  const goesRound = useKind(type)?.repeats === "loop";
  const before = useRunPart((run) => {
    const loop = loopId === null || !goesRound ? null : shownLoop(run, choice, loopId);
    return loop?.iterations[iteration.number - 2] ?? null;
  }, null);
  const adviser = before === null ? null : adviserOf(before, nodeId);
  const { text: words } = useStepText(runId, adviser);
  const label = adviser && document ? titleIn(document, adviser.nodeId) : null;
  if (!goesRound) return null;
  return (
    <div className={styles.asked}>
      <span>
        <Icon name="corner-down-left" size={12} />
        {label === null ? "Input" : `${label} asked`}, iteration {iteration.number - 1}
        {before?.score != null && <em>score {round(before.score)}</em>}
      </span>
      <p>{adviser === null ? iteration.inputPreview : words}</p>
    </div>
  );
}

/**
 * Returns the step that commented on this node's output for the next iteration; null if none did. The step
 * must have run after the node in the same iteration.
 */
function adviserOf(iteration: Iteration, nodeId: string): Step | null {
  const steps = Object.values(iteration.scope.steps);
  const begun = iteration.scope.steps[nodeId]?.startedAt ?? null;
  const advises = (s: Step) =>
    s.nodeId !== nodeId &&
    s.status === "completed" &&
    s.loop === null &&
    s.inner === null &&
    begun !== null &&
    (s.startedAt ?? 0) > begun &&
    s.usage.calls > 0 &&
    s.branch === null &&
    s.preview !== iteration.resultPreview;
  return steps.findLast(advises) ?? null;
}
