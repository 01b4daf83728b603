// The schedules of this computer: what each runs, when it runs next, and the result of its last firing.

import chipStyles from "../../components/Chip.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { RunChip } from "../../inspector/run/StatusChip";
import type { FiringView, ScheduleView } from "../../ipc/generated/bindings";
import { formatMoment } from "../../runs/words/format";
import { testIds } from "../../testids";
import { moveByArrows } from "./arrows";
import styles from "./Schedules.module.css";
import { chosenSchedule, useSchedules } from "./schedules";

export function ScheduleList() {
  const schedules = useSchedules((s) => s.schedules);
  const failure = useSchedules((s) => s.failure);
  const chosen = useSchedules((s) => chosenSchedule(s)?.name);
  return (
    <>
      {failure !== null && (
        <p className={classes("text-error", styles.unread)} role="alert">
          The schedules could not be read: {failure}
        </p>
      )}
      <ul className={styles.list} aria-label="Schedules" onKeyDown={(event) => moveByArrows(event, "button")}>
        {schedules.map((schedule) => (
          <li key={schedule.name}>
            <Row schedule={schedule} isChosen={schedule.name === chosen} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ schedule, isChosen }: { schedule: ScheduleView; isChosen: boolean }) {
  const { name, firings } = schedule;
  return (
    <button
      type="button"
      className={styles.entry}
      aria-pressed={isChosen}
      data-testid={testIds.scheduleRow(name)}
      onClick={() => useSchedules.getState().choose(name)}
    >
      <Icon name="calendar-clock" size={15} />
      <span className={styles.name}>
        <b>{name}</b>
        <small>{nextWords(schedule)}</small>
      </span>
      {firings[0] && <FiringChip firing={firings[0]} />}
    </button>
  );
}

/** Says when a schedule runs next, or why it does not run. */
export function nextWords({ removed, error, next }: ScheduleView): string {
  if (removed) return "removed";
  if (error !== null) return "cannot be read";
  return next === null ? "never runs again" : `next ${formatMoment(Date.parse(next), Date.now())}`;
}

/** Shows the result of a firing as a chip: the status of its run, *failed to start* or *missed*. */
export function FiringChip({ firing }: { firing: FiringView }) {
  switch (firing.result) {
    case "failed_to_start":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.failed)}>
          <Icon name="circle-x" size={12} />
          failed to start
        </span>
      );
    case "missed":
      return (
        <span className={classes(chipStyles.chip, "chip", chipStyles.queued)}>
          <Icon name="circle-slash-2" size={12} />
          missed
        </span>
      );
    case "started":
      return firing.status === null ? (
        <span className={classes(chipStyles.chip, "chip", chipStyles.queued)}>status unknown</span>
      ) : (
        <RunChip status={firing.status} />
      );
  }
}
