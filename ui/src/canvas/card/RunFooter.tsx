// The time, tokens and cost of a node in the shown iteration. While the node runs, these are the current
// values; before it starts, an estimate from the previous iteration. A loop may show its time in the header
// instead.
import { classes } from "../../components/classes";
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
import styles from "./RunFooter.module.css";

const figure = classes(styles.figure, "numeric");

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
  // The figures are listed in the order in which they are left out if space is short. Each is shown
  // completely or not at all.
  const figures = [
    duration !== null && formatDuration(duration),
    calls > 1 && plural(calls, "call"),
    usage && `${formatCount(totalTokens(usage))} tok`,
  ].filter((one) => typeof one === "string");
  const cost = usage && cost_usd !== null ? formatCost(usage) : null;
  const all = [...figures, ...(cost === null ? [] : [cost])];
  return (
    <footer className={styles.footer} {...tip(all.length > 2 ? all.join(" · ") : undefined)}>
      <span className={styles.figures}>
        {figures.map((text) => (
          <span className={figure} key={text}>
            {text}
          </span>
        ))}
      </span>
      {cost !== null && <span className={figure}>{cost}</span>}
    </footer>
  );
}

function SoFar({ run, timeAbove }: { run: NodeRun; timeAbove: boolean }) {
  const now = useRunNow("canvas", true);
  const elapsed = run.startedAt === null ? null : Math.max(0, now - run.startedAt);
  if (run.usage !== null) return <Figures run={run} duration={timeAbove ? null : elapsed} />;
  const tokens = run.activity?.tokens ?? run.pieces;
  const worth = tokens > 0 || (run.before?.usage.calls ?? 0) > 0 || (elapsed ?? 0) >= LONG;
  if (timeAbove || !worth) return null;
  return (
    <footer className={styles.footer}>
      <span className={styles.figures}>
        <span className={figure}>{formatDuration(elapsed)}</span>
        {tokens > 0 && <span className={figure}>{formatCount(tokens)} tok</span>}
      </span>
      <About run={run} />
    </footer>
  );
}

function Expected({ run: { before }, run }: { run: NodeRun }) {
  if (before === null || (before.usage.calls === 0 && (before.durationMs ?? 0) < LONG)) return null;
  return (
    <footer className={styles.footer} {...tip("Estimated from the previous iteration")}>
      <span className={styles.figures}>
        <span className={figure}>about {formatDuration(before.durationMs)}</span>
      </span>
      <About run={run} />
    </footer>
  );
}

/** Shows the estimated cost, which is that of the previous iteration. */
function About({ run: { before } }: { run: NodeRun }) {
  if (before === null || before.usage.calls === 0 || before.usage.cost_usd === null) return null;
  const { cost_usd } = before.usage;
  return <span className={figure}>{cost_usd === 0 ? "free" : `~${formatUsd(cost_usd)}`}</span>;
}
