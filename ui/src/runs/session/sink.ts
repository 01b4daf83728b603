// The destination of a run's events, wherever the run executes: every view of the run in this window.
import type { RunEvent } from "../../ipc/generated/bindings";
import { frames } from "../fold/frames";
import type { RunState, RunView } from "../fold/model";
import { isUnrecorded } from "../fold/reduce";

/** The requests to a run that are in progress. The run's buttons are disabled in the meantime. */
export type Busy = { readonly stopping?: boolean; readonly pausing?: boolean };

export interface RunSink {
  /** The run as shown; null if it is not shown. */
  view(): RunView | null;
  isInFront(): boolean;
  /**
   * Folds events into each view. Events of a watched run may arrive twice; a view skips those it has seen.
   */
  add(events: readonly RunEvent[]): void;
  change(change: (view: RunView) => Partial<RunView>): void;
  mark(busy: Busy): void;
}

/**
 * Returns the events that the state has not seen. An unrecorded event, such as streamed text, has the
 * sequence number of the recorded event before it.
 */
export function unseen(state: RunState, events: readonly RunEvent[]): readonly RunEvent[] {
  const last = state.log.at(-1)?.seq ?? -1;
  return events.filter((e) => (isUnrecorded(e) ? e.seq >= last : e.seq > last));
}

/**
 * Returns a function that passes events to a run until the run is no longer shown, and drops all later ones.
 * If the run is shown again, the new view reads the events it missed.
 */
function untilHidden(sink: RunSink): (events: readonly RunEvent[]) => void {
  let dropped = false;
  return (events) => {
    dropped ||= sink.view() === null;
    if (!dropped) sink.add(events);
  };
}

/** Returns a listener for the events of a channel. It passes them to the run frame by frame. */
export const channelTo = (sink: RunSink): ((event: RunEvent) => void) => frames(untilHidden(sink)).push;

/**
 * Creates a channel for a run that is not shown yet. It buffers events until `open` is called, which returns
 * them and passes later events to the sink.
 */
export function heldChannel(): { push(event: RunEvent): void; open(sink: RunSink): RunEvent[] } {
  const early: RunEvent[] = [];
  let add = (events: readonly RunEvent[]): void => void early.push(...events);
  const { push } = frames((events) => add(events));
  return {
    push,
    open(sink) {
      add = untilHidden(sink);
      return early;
    },
  };
}
