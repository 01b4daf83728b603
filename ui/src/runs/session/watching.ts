// Watches shown runs whose events are not delivered to this page: runs on a worker or in another program, and
// runs started by a page that is gone. While a run is active its events are followed. Its status is polled
// too, since a suspended run sends nothing and may be resumed elsewhere.
import { ApiFailure, api } from "../../ipc/client";
import type { RunStatus } from "../../ipc/generated/bindings";
import type { RunState } from "../fold/model";
import { endedAs } from "../fold/reduce";
import { isActive, isOver } from "../fold/status";
import { useRequests } from "./requests";
import { channelTo, type RunSink } from "./sink";

/**
 * The polling interval of the status, in milliseconds. It is shorter while a request is pending and longer
 * while the store does not answer.
 */
export const WATCH_INTERVAL_MS = 1000;
const FIRST_WATCH_DELAY_MS = 300;
const SILENCE_TIMEOUT_MS = 3000;

/**
 * The time, in milliseconds, after which a status that no event explains is applied anyway. Events arrive
 * slightly later than the status.
 */
const UNEXPLAINED_TIMEOUT_MS = 2000;

type Watch = { sink: RunSink; look(): void; end(): void };

/** Receives the reason a run could not be read; null after a successful read. */
type Heard = (failure: unknown) => void;

const watches = new Map<string, Watch>();

/**
 * The runs that are being unfollowed. If such a run is shown again, it is followed once its unfollowing has
 * completed.
 */
const leaving = new Map<string, Promise<unknown>>();

/**
 * Stops following a run that is not over. Without this call it would be followed in the background until its
 * end.
 */
function unfollow(runId: string): void {
  const done = api()
    .unfollowRun(runId)
    // The events are dropped even if this call fails.
    .catch(() => undefined)
    .finally(() => leaving.get(runId) === done && leaving.delete(runId));
  leaving.set(runId, done);
}

export const isWatched = (runId: string): boolean => watches.has(runId);

/** Polls a run immediately. A finished run whose budget was raised is watched again. */
export function lookAgain(runId: string, sink: RunSink, heard: Heard): void {
  const watch = watches.get(runId);
  if (watch) watch.look();
  else watchRun(runId, sink, heard);
}

/** Ends the watches of runs that are no longer shown. */
export function endUnshown(): void {
  for (const { sink, end } of [...watches.values()]) if (sink.view() === null) end();
}

/**
 * Watches a run until it is over or no longer shown. `followed` means that its events already arrive through
 * another channel.
 */
export function watchRun(runId: string, sink: RunSink, heard: Heard, followed = false): void {
  watches.get(runId)?.end();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let looking = false;
  let again = false;
  let following = followed;
  /**
   * Whether this watch opened the channel for the run's events, and so has to close it. Other channels close
   * when the run ends.
   */
  let isFollowed = false;
  /**
   * A status that no event explains, with the newest event at that time, and when this combination was first
   * seen.
   */
  let unexplained = { key: "", since: 0 };
  const end = () => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    if (isFollowed) unfollow(runId);
    if (watches.get(runId) === watch) watches.delete(runId);
  };
  const lastSeq = () => sink.view()?.state.log.at(-1)?.seq ?? -1;

  /** Polls the run once. Returns the delay until the next poll, in milliseconds; null if polling can end. */
  const lookOnce = async (): Promise<number | null> => {
    if (sink.view() === null) return null;
    const { summary, error } = await api().runDetail(runId);
    heard(null);
    if (ended || sink.view() === null) return null;
    const { status } = summary;
    // A suspended run ends its channel, so each poll requests the events since the last one.
    if (!following || !isActive(status)) {
      following = isActive(status);
      await leaving.get(runId);
      await api().followRun(runId, lastSeq() + 1, channelTo(sink));
      // The run may have been closed meanwhile.
      if (ended && watches.get(runId) === undefined) unfollow(runId);
      isFollowed = following;
    }
    if (ended) return null;
    const state = sink.view()?.state;
    if (state === undefined) return null;
    // Events may arrive after the status, and only they say whose answer was accepted. So a request is
    // settled only when both agree, or when a batch refuses a larger budget, which causes no event.
    const asked = useRequests.getState().byRun[runId];
    if (state.status === status || (asked?.kind === "resume" && asked.status === "failed"))
      useRequests.getState().settle(runId, { status, seq: null, waiting: state.waiting });
    const isAsked = useRequests.getState().byRun[runId] !== undefined;
    if (isOver(status) && state.status === status && !isAsked) return null;
    explain(state, status, error?.message ?? null);
    return isAsked ? FIRST_WATCH_DELAY_MS : WATCH_INTERVAL_MS;
  };

  /**
   * Applies a status that no event has explained for `UNEXPLAINED_TIMEOUT_MS`, such as that of a run that no
   * worker can continue.
   */
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
      // A deleted run stays as it is shown.
      const isGone = failure instanceof ApiFailure && failure.code === "not_found";
      heard(isGone ? null : failure);
      // The channel for events may have ended with the connection.
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
