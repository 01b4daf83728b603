// The time, tokens and cost of the shown pass. While it runs, these are the values so far; before it starts,
// an estimate from the previous pass. A loop may show its time in the header instead.
import { tip } from "../../components/tip";
import type { NodeRun } from "../../runs";
import { useRunNow } from "../../runs/view/shown";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatUsd,
  plural,
  totalTokens,
} from "../../runs/words/format";

/** The duration, in milliseconds, above which a step without streaming or model calls shows its time. */
const LONG = 1000;

export function RunFooter({ run, timeAbove }: { run: NodeRun; timeAbove: boolean }) {
  const { state } = run;
  if (state === "queued") return <Expected run={run} />;
  if (state === "running") return <SoFar run={run} timeAbove={timeAbove} />;
  if (state === "idle" || state === "skipped") return null;
  return <Figures run={run} duration={timeAbove ? null : run.durationMs} />;
}

function Figures({ run, duration: shownDuration }: { run: NodeRun; duration: number | null }) {
  const { usage } = run;
  // A step that computes nothing has no time worth showing.
  const duration = usage === null && !shownDuration ? null : shownDuration;
  if (duration === null && usage === null) return null;
  const { calls = 0, cost_usd = null } = usage ?? {};
  // The figures are listed in the order in which they are dropped if there is no room. Each is shown
  // completely or not at all.
  const figures = [
    duration !== null && formatDuration(duration),
    calls > 1 && plural(calls, "call"),
    usage && `${formatCount(totalTokens(usage))} tok`,
  ].filter((figure) => typeof figure === "string");
  const cost = usage && cost_usd !== null ? formatCost(usage) : null;
  const all = [...figures, ...(cost === null ? [] : [cost])];
  return (
    <footer {...tip(all.length > 2 ? all.join(" · ") : undefined)}>
      <span className="figures">
        {figures.map((figure) => (
          <span className="numeric" key={figure}>
            {figure}
          </span>
        ))}
      </span>
      {cost !== null && <span className="numeric">{cost}</span>}
    </footer>
  );
}

function SoFar({ run, timeAbove }: { run: NodeRun; timeAbove: boolean }) {
  const now = useRunNow("canvas", true);
  const elapsed = run.startedAt === null ? null : Math.max(0, now - run.startedAt);
  if (run.usage !== null) return <Figures run={run} duration={timeAbove ? null : elapsed} />;
  const worth = run.pieces > 0 || (run.before?.usage.calls ?? 0) > 0 || (elapsed ?? 0) >= LONG;
  if (timeAbove || !worth) return null;
  return (
    <footer>
      <span className="figures">
        <span className="numeric">{formatDuration(elapsed)}</span>
        {run.pieces > 0 && <span className="numeric">{formatCount(run.pieces)} tok</span>}
      </span>
      <About run={run} />
    </footer>
  );
}

function Expected({ run: { before }, run }: { run: NodeRun }) {
  if (before === null || (before.usage.calls === 0 && (before.durationMs ?? 0) < LONG)) return null;
  return (
    <footer {...tip("As in the previous iteration")}>
      <span className="figures">
        <span className="numeric">about {formatDuration(before.durationMs)}</span>
      </span>
      <About run={run} />
    </footer>
  );
}

/** Shows the estimated cost, which is that of the previous iteration. */
function About({ run: { before } }: { run: NodeRun }) {
  if (before === null || before.usage.calls === 0 || before.usage.cost_usd === null) return null;
  const { cost_usd } = before.usage;
  return <span className="numeric">{cost_usd === 0 ? "free" : `~${formatUsd(cost_usd)}`}</span>;
}
