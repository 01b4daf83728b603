// Up to six measures of a step, such as tokens read and written, cost and duration.

import { classes } from "../../components/classes";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { promptWords } from "../../runs/fold/context";
import type { Iteration, LoopRecord, Step } from "../../runs/fold/model";
import { useContextWindows } from "../../runs/inputs/context-windows";
import { useRunNow } from "../../runs/view/shown";
import { cutOffWords, formatCost, formatCount, formatDuration } from "../../runs/words/format";
import { testIds } from "../../testids";
import { similarityOf, useLoopSimilarities } from "../timeline/use-similarities";
import styles from "./StatGrid.module.css";

type StatGridProps = {
  step: Step;
  iteration: Iteration | null;
  /** The loop that contains the iteration; null if the iteration belongs to no loop. */
  loop: LoopRecord | null;
  runId: string;
  document: FlowDoc;
};

export function StatGrid({ step, iteration, ...of }: StatGridProps) {
  const running = step.status === "running";
  const now = useRunNow("panel", running);
  const { usage } = step;
  const ms = step.durationMs ?? (step.startedAt === null ? null : Math.max(0, now - step.startedAt));
  const builtin = usage.calls > 0 && usage.cost_usd === 0;
  const counted = usage.calls > 0;
  const tokens = counted ? usage.output_tokens : step.pieces;
  // A step that calls no model has no tokens and no price.
  if (!running && !counted && tokens === 0)
    return (
      <dl className={classes(styles.stats, styles.few)} data-testid="stats">
        <Stat
          name="Time"
          value={formatDuration(ms)}
          small={step.attempts > 1 ? `${step.attempts} attempts` : ""}
        />
        {iteration !== null && <LastStat iteration={iteration} {...of} />}
      </dl>
    );
  return (
    <>
      <dl className={classes(styles.stats, running && styles.ticking)} data-testid="stats">
        <Stat name="Tokens in" value={counted ? formatCount(usage.input_tokens) : "–"} />
        <Stat
          name="Tokens out"
          value={tokens > 0 ? formatCount(tokens) : "–"}
          small={counted || tokens === 0 ? "" : running ? "so far" : "streamed"}
        />
        <Stat name="Cost" value={counted ? formatCost(usage) : "–"} small={builtin ? "(built-in)" : ""} />
        <Stat name="Time" value={formatDuration(ms)} />
        {usage.calls > 1 || step.attempts > 1 || cutOffWords(usage) ? (
          <Stat
            name="Calls"
            value={counted ? formatCount(usage.calls) : "–"}
            small={[cutOffWords(usage), step.attempts > 1 ? `${step.attempts} attempts` : ""]
              .filter(Boolean)
              .join(", ")}
          />
        ) : (
          <Speed tokens={tokens} ms={ms} />
        )}
        <LastStat iteration={iteration} {...of} />
      </dl>
      <PromptSize step={step} runId={of.runId} />
    </>
  );
}

/** Shows the longest prompt of a step, with the context window of its model if that is known. */
function PromptSize({ step, runId }: { step: Step; runId: string }) {
  const tokens = step.usage.longest_prompt ?? 0;
  const windowOf = useContextWindows(runId, tokens === 0 || step.model === null ? [] : [step.model]);
  if (tokens === 0) return null;
  return (
    <p className={styles.prompt} data-testid={testIds.promptSize}>
      Prompt {promptWords(tokens, step.model === null ? null : windowOf(step.model))}
    </p>
  );
}

/** Shows the number of tokens written per second, averaged over the whole call. */
function Speed({ tokens, ms }: { tokens: number; ms: number | null }) {
  if (tokens === 0 || ms === null || ms === 0) return <Stat name="Speed" value="–" />;
  return <Stat name="Speed" value={formatCount(tokens / (ms / 1000))} small="tok/s" />;
}

type LastStatProps = Omit<StatGridProps, "step">;

function LastStat({ iteration, loop, runId, document }: LastStatProps) {
  if (iteration !== null && iteration.score !== null)
    return <Stat name="Score" value={String(round(iteration.score))} />;
  if (loop !== null && iteration?.status === "completed" && iteration.similarity === null)
    return <Estimate iteration={iteration} loop={loop} runId={runId} document={document} />;
  return <SimilarityStat value={iteration?.similarity ?? null} />;
}

type OfLoop = { iteration: Iteration; loop: LoopRecord; runId: string; document: FlowDoc };

/** Shows the similarity that the timeline has estimated, if the engine did not measure it. */
function Estimate({ iteration, loop, runId, document }: OfLoop) {
  const { number } = iteration;
  const estimates = useLoopSimilarities(runId, loop, document, number, number);
  return <SimilarityStat value={similarityOf(iteration, estimates)} />;
}

function SimilarityStat({ value }: { value: number | null }) {
  return <Stat name="Similarity" value={value === null ? "–" : value.toFixed(2)} />;
}

function Stat({ name, value, small = "" }: { name: string; value: string; small?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {small && <small>{small}</small>}
      </dd>
    </div>
  );
}

export function round(n: number): number {
  return Math.round(n * 100) / 100;
}
