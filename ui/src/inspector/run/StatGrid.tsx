// Six measures of a step: what it read and wrote, what it cost, how long it took.

import { formatCost, formatCount, formatDuration } from "../../runs/format";
import type { Iteration, Step } from "../../runs/model";
import { useNow } from "../../runs/shown";

export function StatGrid({ step, iteration }: { step: Step; iteration: Iteration | null }) {
  const running = step.status === "running";
  const now = useNow(running);
  const { usage } = step;
  const ms = step.durationMs ?? (step.startedAt === null ? null : now - step.startedAt);
  const builtin = usage.calls > 0 && usage.cost_usd === 0;
  const counted = usage.calls > 0;
  const tokens = counted ? usage.output_tokens : step.pieces;
  // A step that calls no model has no tokens and no price.
  if (!running && !counted && tokens === 0)
    return (
      <dl className="stats few">
        <Stat
          name="Time"
          value={formatDuration(ms)}
          small={step.attempts > 1 ? `${step.attempts} tries` : ""}
        />
        {iteration !== null && <LastStat iteration={iteration} />}
      </dl>
    );
  return (
    <dl className="stats">
      <Stat name="Tokens in" value={counted ? formatCount(usage.input_tokens) : "–"} />
      <Stat
        name="Tokens out"
        value={tokens > 0 ? formatCount(tokens) : "–"}
        small={!counted && tokens > 0 ? "so far" : ""}
      />
      <Stat name="Cost" value={counted ? formatCost(usage) : "–"} small={builtin ? "(built-in)" : ""} />
      <Stat name="Time" value={formatDuration(ms)} />
      <Stat
        name="Calls"
        value={counted ? formatCount(usage.calls) : "–"}
        small={step.attempts > 1 ? `${step.attempts} tries` : ""}
      />
      <LastStat iteration={iteration} />
    </dl>
  );
}

function LastStat({ iteration }: { iteration: Iteration | null }) {
  if (iteration !== null && iteration.score !== null)
    return <Stat name="Score" value={String(round(iteration.score))} />;
  const similarity = iteration?.similarity ?? null;
  return <Stat name="Similarity" value={similarity === null ? "–" : similarity.toFixed(2)} />;
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
