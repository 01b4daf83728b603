// Time, tokens and cost of the pass that is shown. A loop's time stands in its header.
import type { NodeRun } from "../../runs";
import { formatCost, formatCount, formatDuration, plural, totalTokens } from "../../runs/format";

export function RunFooter({ run, loop }: { run: NodeRun; loop: boolean }) {
  if (run.state === "idle" || run.state === "queued" || run.state === "skipped") return null;
  const { usage } = run;
  // A step that computes nothing has no time worth a line.
  const duration = loop || (usage === null && !run.durationMs) ? null : run.durationMs;
  if (duration === null && usage === null) return null;
  return (
    <footer>
      {duration !== null && <span className="num">{formatDuration(duration)}</span>}
      {usage && (loop || usage.calls > 1) && <span className="num">{plural(usage.calls, "call")}</span>}
      {usage && <span className="num">{formatCount(totalTokens(usage))} tok</span>}
      <span className="grow" />
      {usage && usage.cost_usd !== null && <span className="num">{formatCost(usage)}</span>}
    </footer>
  );
}
