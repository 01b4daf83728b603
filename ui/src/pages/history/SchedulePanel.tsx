// One schedule: what it runs and when, its daily budget, and its firings, including those without a run.

import buttonStyles from "../../components/Button.module.css";
import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import { tip } from "../../components/tip";
import type { FiringView, ScheduleView } from "../../ipc/generated/bindings";
import { formatCount, formatExact, formatMoment, formatUsd } from "../../runs/words/format";
import { testIds } from "../../testids";
import detailStyles from "./RunDetailView.module.css";
import { FiringChip } from "./ScheduleList";
import styles from "./Schedules.module.css";
import { chosenSchedule, missedWords, timesWords, useSchedules } from "./schedules";
import { useHistory } from "./store";

export function SchedulePanel() {
  const schedule = useSchedules(chosenSchedule);
  return schedule && <Panel key={schedule.name} schedule={schedule} />;
}

function Panel({ schedule }: { schedule: ScheduleView }) {
  const { name, flow, times, next, budgetUsd, removed, error } = schedule;
  return (
    <section aria-labelledby="schedule-title" data-testid={testIds.schedulePanel}>
      <header className={detailStyles.head}>
        <h1 id="schedule-title" {...tip(name)}>
          {name}
        </h1>
        {removed && <span className={classes(chipStyles.chip, chipStyles.queued)}>removed</span>}
        {times && <span className={classes("text-tertiary", detailStyles.about)}>{timesWords(times)}</span>}
      </header>
      {error !== null && (
        <p className={classes("text-error", styles.part)} role="alert">
          <Message text={error} />
        </p>
      )}
      {flow !== null && (
        <div className={detailStyles.figures}>
          <div {...tip(flow)}>
            <b>{flow.split(/[\\/]/).at(-1)}</b>workflow
          </div>
          <div>
            <b>{next === null ? "never" : formatMoment(Date.parse(next), Date.now())}</b>next run
          </div>
          <div>
            <b>{budgetUsd === null ? "no limit" : formatUsd(budgetUsd)}</b>daily budget
          </div>
        </div>
      )}
      <Firings schedule={schedule} />
      <p className={classes(noteStyles.note, styles.note)}>
        {removed
          ? "The schedule was removed. Its history is kept."
          : "Schedules are changed and removed on the command line: "}
        {!removed && <code>loopwright schedule --help</code>}
      </p>
    </section>
  );
}

function Firings({ schedule: { name, firings, firingsKept } }: { schedule: ScheduleView }) {
  return (
    <>
      <h2 className={styles.part}>
        {firings.length < firingsKept
          ? `The newest ${formatCount(firings.length)} of ${formatCount(firingsKept)} firings`
          : "Firings"}
      </h2>
      {firings.length === 0 ? (
        <p className={classes("text-tertiary", styles.part)}>
          None yet. Start a run now with <code>loopwright schedule run-now {name}</code>
        </p>
      ) : (
        <table className={styles.firings} aria-label={`Firings of ${name}, newest first`}>
          <thead className="sr-only">
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Result</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {firings.map((firing) => (
              <Firing key={`${firing.at} ${firing.result}`} firing={firing} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Firing({ firing }: { firing: FiringView }) {
  const at = Date.parse(firing.result === "missed" ? firing.last : (firing.planned ?? firing.at));
  return (
    <tr>
      <td>
        <time dateTime={firing.at} {...tip(formatExact(Date.parse(firing.at)))}>
          {formatMoment(at, Date.now())}
        </time>
      </td>
      <td>
        <FiringChip firing={firing} />
      </td>
      <td>
        <Details firing={firing} />
      </td>
    </tr>
  );
}

function Details({ firing }: { firing: FiringView }) {
  switch (firing.result) {
    case "failed_to_start":
      return <Message text={firing.reason} />;
    case "missed":
      return missedWords(firing, Date.now());
    case "started":
      return firing.deleted ? (
        <span className="text-tertiary">The run was deleted.</span>
      ) : (
        <>
          <button
            type="button"
            className={buttonStyles.linkButton}
            onClick={() => useHistory.getState().showRun(firing.runId)}
          >
            Show the run
          </button>
          {firing.planned === null && <span className="text-tertiary">started manually</span>}
        </>
      );
  }
}
