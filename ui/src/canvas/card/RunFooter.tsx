// Time, tokens and cost of the pass that is shown; a loop may say its time in its header.
import type { NodeRun } from "../../runs";
import { formatCost, formatCount, formatDuration, plural, totalTokens } from "../../runs/format";

export function RunFooter({ run, timeAbove }: { run: NodeRun; timeAbove: boolean }) {
  if (run.state === "idle" || run.state === "queued" || run.state === "skipped") return null;
  const { usage } = run;
  // A step that computes nothing has no time worth a line.
  const duration = timeAbove || (usage === null && !run.durationMs) ? null : run.durationMs;
  if (duration === null && usage === null) return null;
  return (
    <footer>
      {duration !== null && <span className="num">{formatDuration(duration)}</span>}
      {usage && usage.calls > 1 && <span className="num">{plural(usage.calls, "call")}</span>}
      {usage && <span className="num">{formatCount(totalTokens(usage))} tok</span>}
      <span className="grow" />
      {usage && usage.cost_usd !== null && <span className="num">{formatCost(usage)}</span>}
    </footer>
  );
}
