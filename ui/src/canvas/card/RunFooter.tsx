// Time, tokens and cost of the pass that is shown; a loop may say its time in its header.
import type { NodeRun } from "../../runs";
import { formatCost, formatCount, formatDuration, plural, totalTokens } from "../../runs/format";

export function RunFooter({ run, timeAbove }: { run: NodeRun; timeAbove: boolean }) {
  if (run.state === "idle" || run.state === "queued" || run.state === "skipped") return null;
  const { usage } = run;
  // A step that computes nothing has no time worth a line.
  const duration = timeAbove || (usage === null && !run.durationMs) ? null : run.durationMs;
  if (duration === null && usage === null) return null;
  const { calls = 0, cost_usd = null } = usage ?? {};
  const tokens = usage && `${formatCount(totalTokens(usage))} tok`;
  // Four figures are wider than a card.
  const full = duration !== null && calls > 1 && cost_usd !== null;
  return (
    <footer title={full ? (tokens ?? undefined) : undefined}>
      {duration !== null && <span className="num">{formatDuration(duration)}</span>}
      {calls > 1 && <span className="num">{plural(calls, "call")}</span>}
      {tokens && !full && <span className="num">{tokens}</span>}
      <span className="grow" />
      {usage && cost_usd !== null && <span className="num">{formatCost(usage)}</span>}
    </footer>
  );
}
