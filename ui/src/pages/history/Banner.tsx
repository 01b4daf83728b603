// Offers interrupted runs at the top of the history. A run is resumed only when the user asks for it.

import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { RequestChip } from "../../inspector/run/StatusChip";
import type { RunSummary } from "../../ipc/generated/bindings";
import { useRequest } from "../../runs/session/requests";
import { formatAgo, formatMoment, plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import { openRun, resumeRun } from "./actions";
import styles from "./Banner.module.css";
import { resumeLabel } from "./RunRow";
import { failureKey, useSchedules } from "./schedules";
import { useHistory } from "./store";

export function RecoveryBanner() {
  const interrupted = useHistory((s) => s.interrupted);
  const dismissed = useHistory((s) => s.dismissed);
  const offered = interrupted.filter((run) => !dismissed.has(run.runId));
  const [run, ...others] = offered;
  if (run === undefined) return null;
  return (
    <div className={styles.banner} role="status" data-testid="recovery">
      <span className="text-error">
        <Icon name="circle-alert" size={17} />
      </span>
      <span>
        <b>
          {run.flow}, started {formatAgo(Date.parse(run.startedAt), Date.now())}, was interrupted.
        </b>{" "}
        {savedUntil(run)}
        {others.length > 0 && ` The list contains ${plural(others.length, "other interrupted run")}.`}
      </span>
      <span className="grow" />
      <Button
        variant="primary"
        icon="rotate-ccw"
        data-testid="resume-run"
        onClick={() => void resumeRun(run.runId)}
      >
        {resumeLabel(run)}
      </Button>
      <Button onClick={() => useHistory.getState().select(run.runId)}>Inspect</Button>
      <IconButton
        icon="x"
        size={15}
        label="Not now"
        onClick={() => useHistory.getState().dismiss(run.runId)}
      />
    </div>
  );
}

/** Reports the newest firing of a schedule that could not start a run, until it is dismissed or the schedule starts a run. */
export function ScheduleBanner() {
  const schedules = useSchedules((s) => s.schedules);
  const dismissed = useSchedules((s) => s.dismissed);
  const failed = schedules.flatMap((schedule) => {
    const key = failureKey(schedule);
    return key === null || dismissed.has(key)
      ? []
      : { name: schedule.name, at: schedule.firings[0]?.planned ?? schedule.firings[0]?.at, key };
  });
  const [first, ...others] = failed;
  if (first?.at === undefined) return null;
  const { choose, dismiss } = useSchedules.getState();
  return (
    <div className={styles.banner} role="status" data-testid={testIds.scheduleFailed}>
      <span className="text-error">
        <Icon name="circle-alert" size={17} />
      </span>
      <span>
        <b>
          The schedule {first.name} could not start a run at {formatMoment(Date.parse(first.at), Date.now())}.
        </b>
        {others.length > 0 && ` ${plural(others.length, "other schedule")} also could not start one.`}
      </span>
      <span className="grow" />
      <Button
        onClick={() => {
          choose(first.name);
          useHistory.getState().setTab("schedules");
        }}
      >
        Show why
      </Button>
      <IconButton icon="x" size={15} label="Dismiss" onClick={() => dismiss(first.key)} />
    </div>
  );
}

function savedUntil({ iterations }: RunSummary): string {
  if (iterations === null) return "Finished steps are saved and won't be charged again.";
  if (iterations === 0) return "The first iteration was not finished. Its finished steps are saved.";
  const saved = iterations === 1 ? "Iteration 1 is saved" : `Iterations 1 to ${iterations} are saved`;
  return `${saved}. Iteration ${iterations + 1} was not finished.`;
}

/** A banner above a run that waits for a person or is paused, with the button that continues it. */
export function RestingBanner({ summary }: { summary: RunSummary }) {
  const { status, runId } = summary;
  const request = useRequest(runId);
  if (status !== "waiting" && status !== "paused") return null;
  const waits = status === "waiting";
  return (
    <div className={classes(styles.banner, styles.waits)} role="status">
      <span className="text-warning">
        <Icon name="circle-pause" size={17} />
      </span>
      <span>
        <b>{waits ? `${summary.flow} waits for you.` : `${summary.flow} is paused.`}</b>{" "}
        {waits
          ? "It continues once you answer, even after a restart."
          : "It can continue where it paused, even after a restart."}
      </span>
      <span className="grow" />
      {request !== null ? (
        <RequestChip runId={runId} />
      ) : (
        <Button
          variant="primary"
          icon={waits ? "user-check" : "play"}
          data-testid={waits ? "review-run" : "continue-run"}
          onClick={() => void (waits ? openRun(runId) : resumeRun(runId))}
        >
          {waits ? "Review" : "Continue"}
        </Button>
      )}
    </div>
  );
}
