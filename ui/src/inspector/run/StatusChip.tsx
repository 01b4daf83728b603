// The state of a step or a run as a chip: colour, icon and word.

import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import marksStyles from "../../components/Marks.module.css";
import { tip } from "../../components/tip";
import type { RunStatus } from "../../ipc/generated/bindings";
import type { Step } from "../../runs/fold/model";
import { requestWords, useRequest } from "../../runs/session/requests";
import { sessionOf } from "../../runs/session/store";
import styles from "./StatusChip.module.css";

export function StepChip({ step }: { step: Step | null }) {
  if (step === null)
    return <span className={classes(chipStyles.chip, "chip", chipStyles.queued)}>not run</span>;
  switch (step.status) {
    case "running":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.running)}>
          <i className={classes(marksStyles.dot, "dot", marksStyles.pulse)} />
          {step.text === "" ? "running" : "streaming"}
        </span>
      );
    case "completed":
      if (step.pinned)
        return (
          <span
            className={classes(chipStyles.chip, "chip", chipStyles.queued)}
            {...tip("The value comes from a pin or a fork. The node itself did not run.")}
          >
            <Icon name="pin" size={12} />
            preset
          </span>
        );
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.done)}>
          <Icon name="check" size={12} />
          done
        </span>
      );
    case "failed":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.failed)}>
          <Icon name="circle-x" size={12} />
          failed
        </span>
      );
    case "waiting":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.waiting)}>
          <Icon name="circle-pause" size={12} />
          waiting
        </span>
      );
    case "skipped":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.queued)}>
          <Icon name="circle-slash-2" size={12} />
          not run
        </span>
      );
    case "cancelled":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.queued)}>
          <Icon name="circle-slash-2" size={12} />
          stopped
        </span>
      );
  }
}

const RUN: Record<RunStatus, { tone: string; icon: string; word: string }> = {
  running: { tone: "running", icon: "", word: "running" },
  queued: { tone: "queued", icon: "clock", word: "queued" },
  paused: { tone: "waiting", icon: "pause", word: "paused" },
  waiting: { tone: "waiting", icon: "circle-pause", word: "waiting" },
  completed: { tone: "done", icon: "check", word: "done" },
  failed: { tone: "failed", icon: "circle-x", word: "failed" },
  cancelled: { tone: "queued", icon: "circle-slash-2", word: "stopped" },
  interrupted: { tone: "failed", icon: "circle-alert", word: "interrupted" },
};

/** Shows the store of a run, or nothing for a run on this computer. */
export function PlaceChip({ runId, big }: { runId: string; big?: boolean }) {
  const { store } = sessionOf(runId);
  if (store === null) return null;
  return (
    <span
      className={classes(chipStyles.chip, "chip", big && chipStyles.big)}
      data-testid="run-place"
      {...tip(`This run is in the shared store ${store} and executes on a worker.`)}
    >
      <Icon name="database" size={12} />
      {store}
    </span>
  );
}

/** Shows the request, such as to stop, that was sent to a run and not handled by a worker yet. */
export function RequestChip({ runId, big }: { runId: string | null; big?: boolean }) {
  const request = useRequest(runId);
  return (
    <span role="status" className={styles.request}>
      {request !== null && (
        <span
          className={classes(chipStyles.chip, "chip", chipStyles.waiting, big && chipStyles.big)}
          data-testid="run-request"
          {...tip(
            "The request is in the store. The worker that executes the run, or the next free one, handles it.",
          )}
        >
          <i className={classes(marksStyles.dot, "dot", marksStyles.pulse)} />
          {requestWords(request)}
        </span>
      )}
    </span>
  );
}

export function RunChip({ status }: { status: RunStatus }) {
  const { tone, icon, word } = RUN[status];
  return (
    <span className={classes(chipStyles.chip, "chip", chipStyles[tone])} data-testid="run-status">
      {icon === "" ? (
        <i className={classes(marksStyles.dot, "dot", marksStyles.pulse)} />
      ) : (
        <Icon name={icon} size={12} />
      )}
      {word}
    </span>
  );
}
