// The schedules of this computer with their newest firings. They are added on the command line, and the list is polled while
// the history is visible.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import type { FiringView, ScheduleView, Times } from "../../ipc/generated/bindings";
import { formatMoment } from "../../runs/words/format";
import { useHistory } from "./store";

/** The number of firings that are shown of each schedule. */
export const FIRINGS_SHOWN = 100;

interface Schedules {
  readonly schedules: readonly ScheduleView[];
  /** The reason why the schedules could not be read; null if they could. */
  readonly failure: string | null;
  /** The name of the chosen schedule; null for the first one. */
  readonly chosen: string | null;
  /** The dismissed failures, as `failureKey` returns them. */
  readonly dismissed: ReadonlySet<string>;
  choose(name: string): void;
  dismiss(key: string): void;
  /** Reads the schedules again, unless a request is pending. */
  look(): Promise<void>;
}

let isReading = false;

export const useSchedules = create<Schedules>()((set, get) => ({
  schedules: [],
  failure: null,
  chosen: null,
  dismissed: new Set(),
  choose: (chosen) => set({ chosen }),
  dismiss: (key) => set((s) => ({ dismissed: new Set(s.dismissed).add(key) })),
  async look() {
    if (isReading) return;
    isReading = true;
    try {
      const inSchedules = useHistory.getState().tab === "schedules";
      // The list of runs needs only the last firing, for the note about schedules that did not start.
      const schedules = await api().schedules(inSchedules ? FIRINGS_SHOWN : 1);
      const isSame = JSON.stringify(schedules) === JSON.stringify(get().schedules);
      set(isSame ? { failure: null } : { schedules, failure: null });
      if (schedules.length === 0 && inSchedules) useHistory.getState().setTab("runs");
    } catch (error) {
      set({ failure: errorMessage(error) });
    } finally {
      isReading = false;
    }
  },
}));

export const chosenSchedule = ({
  schedules,
  chosen,
}: Pick<Schedules, "schedules" | "chosen">): ScheduleView | null =>
  schedules.find(({ name }) => name === chosen) ?? schedules[0] ?? null;

/**
 * Returns a key for the newest firing of a schedule if that firing could not start a run; otherwise null.
 * Null also if the schedule was removed.
 */
export function failureKey({ name, removed, firings: [last] }: ScheduleView): string | null {
  return !removed && last?.result === "failed_to_start" ? `${name} ${last.at}` : null;
}

/** Formats a duration of hours and minutes after "every": "hour", "2 h", "1 h 30 min". Other text is returned unchanged. */
function intervalWords(duration: string): string {
  const found = /^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(duration);
  if (found === null) return duration;
  const [, hours, minutes] = found;
  if (hours === "1" && minutes === undefined) return "hour";
  return [hours && `${hours} h`, minutes && `${minutes} min`].filter(Boolean).join(" ");
}

/** Describes the times of a schedule: "every day at 02:00", "every 2 h", "cron 0 2 * * 1-5". */
export function timesWords(times: Times): string {
  if (times.at !== undefined) return `every day at ${times.at}`;
  if (times.every !== undefined) return `every ${intervalWords(times.every)}`;
  return `cron ${times.cron}`;
}

const momentOf = (time: string, now: number): string => formatMoment(Date.parse(time), now);

/** Describes missed times: "Missed 3 times, from 02:00 to 04:00: the computer was off or asleep, or nobody was logged in." */
export function missedWords(
  { first, last, count, activeSince }: Extract<FiringView, { result: "missed" }>,
  now: number,
): string {
  const times =
    count === 1
      ? `Missed ${momentOf(first, now)}`
      : `Missed ${count} times, from ${momentOf(first, now)} to ${momentOf(last, now)}`;
  const why =
    activeSince === null
      ? "the computer was off or asleep, or nobody was logged in"
      : `the run started at ${momentOf(activeSince, now)} was still active`;
  return `${times}: ${why}.`;
}
