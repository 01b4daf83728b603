// Where everything goes that a run says, whoever leads it: to each view of the run in this window.
import type { RunEvent } from "../../ipc/generated/bindings";
import { frames } from "../fold/frames";
import type { RunState, RunView } from "../fold/model";
import { isUnrecorded } from "../fold/reduce";

/** What is being asked of a run: its buttons wait for that. */
export type Busy = { readonly stopping?: boolean; readonly pausing?: boolean };

export interface RunSink {
  /** The run as it is shown; null where it is shown nowhere. */
  view(): RunView | null;
  isInFront(): boolean;
  /** Folds events into each view. Those of a run that is watched may come twice; what a view has seen is left out. */
  add(events: readonly RunEvent[]): void;
  change(change: (view: RunView) => Partial<RunView>): void;
  mark(busy: Busy): void;
}

/** Of some events, those that the state has not seen. Streamed pieces share the number of the record before them. */
export function unseen(state: RunState, events: readonly RunEvent[]): readonly RunEvent[] {
  const last = state.log.at(-1)?.seq ?? -1;
  return events.filter((e) => (isUnrecorded(e) ? e.seq >= last : e.seq > last));
}

/** Gives events to a run. Once it is shown nowhere they are dropped for good: a later view reads what it lacks. */
function untilHidden(sink: RunSink): (events: readonly RunEvent[]) => void {
  let dropped = false;
  return (events) => {
    dropped ||= sink.view() === null;
    if (!dropped) sink.add(events);
  };
}

/** Takes the events of a channel, and gives them on frame by frame. */
export const channelTo = (sink: RunSink): ((event: RunEvent) => void) => frames(untilHidden(sink)).push;

/** A channel of a run that is not shown yet: it keeps its events until it is opened, which gives them. */
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
