// The buttons below a failure in the panel.
import { Button } from "../../components/Button";
import messageStyles from "../../components/RunMessage.module.css";
import { tip } from "../../components/tip";
import { useRuns } from "../../runs/session/store";
import { type Failure, failureActions } from "../../runs/words/failure-actions";

export function FailureActions(failure: Failure) {
  const starting = useRuns((s) => s.starting);
  const actions = failureActions(failure);
  if (actions.length === 0) return null;
  return (
    <span className={messageStyles.actions} data-testid="failure-actions">
      {actions.map(({ label, run }) => (
        <Button
          small
          key={label}
          icon={label === "Retry" ? "rotate-ccw" : undefined}
          disabled={label === "Retry" && starting}
          {...tip(label === "Retry" ? RETRY : null)}
          onClick={run}
        >
          {label}
        </Button>
      ))}
    </span>
  );
}

/** The text that explains what a retry does and what it costs. */
export const RETRY =
  "Starts a new run that repeats this node and everything after it. Earlier results are reused and not charged again.";
