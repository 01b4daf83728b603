// Watches runs whose events come to nobody here while they are shown: those that a worker or another program leads, and those that a
// page began which is gone. Their events are followed while they are active, and their status is looked at, since a run that is
// suspended says nothing and may be resumed elsewhere.
import { ApiFailure, api } from "../../ipc/client";
import type { RunStatus } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";
import { endedAs } from "../fold/reduce";
import { isActive, isOver } from "../fold/status";
import { useRequests } from "./requests";
import { channelTo, type RunSink } from "./sink";

/** How often the status is looked at, in milliseconds; sooner while something is asked of the run, later while its store is silent. */
export const WATCH_INTERVAL_MS = 1000;
const FIRST_WATCH_DELAY_MS = 300;
const SILENCE_TIMEOUT_MS = 3000;

/** How long a status may be without the event that explains it, in milliseconds: events come a little later than the status. */
const UNEXPLAINED_TIMEOUT_MS = 2000;

type Watch = { sink: RunSink; look(): void; end(): void };

/** Takes why a run could not be looked at; null: it could. */
type Heard = (failure: unknown) => void;

const watches = new Map<string, Watch>();

/** Runs that are being left: one that is shown again is followed once the last of it is over. */
const leaving = new Map<string, Promise<unknown>>();

/** Stops following a run, which otherwise continues in the background until the run is over. */
function unfollow(runId: string): void {
  const done = api()
    .unfollowRun(runId)
    // Its events are dropped all the same.
    .catch(() => undefined)
    .finally(() => leaving.get(runId) === done && leaving.delete(runId));
  leaving.set(runId, done);
}

export const isWatched = (runId: string): boolean => watches.has(runId);

/** Looks at a run now. One that was over, and gets a larger budget, is watched again. */
export function lookAgain(runId: string, sink: RunSink, heard: Heard): void {
  const watch = watches.get(runId);
  if (watch) watch.look();
  else watchRun(runId, sink, heard);
}

/** Ends the watches of runs that are shown nowhere any more. */
export function endUnshown(): void {
  for (const { sink, end } of [...watches.values()]) if (sink.view() === null) end();
}

/** Watches a run until it is over or shown nowhere. `followed`: its events come already. */
export function watchRun(runId: string, sink: RunSink, heard: Heard, followed = false): void {
  watches.get(runId)?.end();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let looking = false;
  let again = false;
  let following = followed;
  /** By this watch: what else brings its events ends with the run. */
  let isFollowed = false;
  /** A status that no event explains, with the event that was newest then, and since when. */
  let unexplained = { key: "", since: 0 };
  const end = () => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    if (isFollowed) unfollow(runId);
    if (watches.get(runId) === watch) watches.delete(runId);
  };
  const lastSeq = () => sink.view()?.state.log.at(-1)?.seq ?? -1;

  /** Gives how long to wait until the next look; null: there is nothing more to see. */
  const lookOnce = async (): Promise<number | null> => {
    if (sink.view() === null) return null;
    const { summary, error } = await api().runDetail(runId);
    heard(null);
    if (ended || sink.view() === null) return null;
    const { status } = summary;
    // A run that is suspended ends its channel: what happened since is asked for each time.
    if (!following || !isActive(status)) {
      following = isActive(status);
      await leaving.get(runId);
      await api().followRun(runId, lastSeq() + 1, channelTo(sink));
      // It may have been left meanwhile.
      if (ended && watches.get(runId) === undefined) unfollow(runId);
      isFollowed = following;
    }
    if (ended) return null;
    const state = sink.view()?.state;
    if (state === undefined) return null;
    // The status may be ahead of the events, and these say whose answer was taken. A larger budget for which a batch has no
    // room has no event.
    const asked = useRequests.getState().byRun[runId];
    if (state.status === status || (asked?.kind === "resume" && asked.status === "failed"))
      useRequests.getState().settle(runId, { status, seq: null, waiting: state.waiting });
    const isAsked = useRequests.getState().byRun[runId] !== undefined;
    if (isOver(status) && state.status === status && !isAsked) return null;
    explain(state, status, error?.message ?? null);
    return isAsked ? FIRST_WATCH_DELAY_MS : WATCH_INTERVAL_MS;
  };

  /** Not every change has an event: a run that no worker could continue has none. */
  const explain = (state: RunState, status: RunStatus, message: string | null) => {
    const key = state.status === status ? "" : `${status} ${lastSeq()}`;
    if (key !== unexplained.key) unexplained = { key, since: Date.now() };
    else if (key !== "" && Date.now() - unexplained.since >= UNEXPLAINED_TIMEOUT_MS) {
      sink.change((view) => {
        const as = endedAs(view.state, status);
        if (message === null || as.error !== null || isActive(status)) return { state: as };
        return { state: { ...as, error: { code: status, message, nodeId: null } } };
      });
    }
  };

  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    clearTimeout(timer);
    looking = true;
    let next: number | null;
    try {
      next = await lookOnce();
    } catch (failure) {
      // A run that was deleted stays as it is shown.
      const isGone = failure instanceof ApiFailure && failure.code === "not_found";
      heard(isGone ? null : failure);
      // What was followed may have ended with the connection.
      following = false;
      next = isGone ? null : SILENCE_TIMEOUT_MS;
    }
    looking = false;
    if (ended) return;
    if (next === null) end();
    else timer = setTimeout(() => void look(), again ? 0 : next);
    again = false;
  };
  const watch: Watch = { sink, look: () => void look(), end };
  watches.set(runId, watch);
  void look();
}
