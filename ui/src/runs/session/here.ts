// A run that executes on this computer, in this program or another one. A request is complete when its call
// returns.
import { api } from "../../ipc/client";
import type { RunEvent, RunStatus } from "../../ipc/generated/bindings";
import { confirmTrust, withTrust } from "../../trust/store";
import { endedAs, foldAll, foldEvents } from "../fold/reduce";
import type { Begin, RunSession } from "./run-session";
import { type Busy, channelTo, heldChannel, type RunSink, unseen } from "./sink";
import { watchRun } from "./watching";

/** Starts a prepared run. */
export const startPrepared =
  (prepared: string): Begin =>
  (onEvent) =>
    api().startRun(prepared, onEvent);

const isSuspended = (status: RunStatus): boolean => status === "waiting" || status === "paused";

export function sessionHere(runId: string, sink: RunSink): RunSession {
  /** Runs an action while the run's buttons are disabled. */
  const whileBusy = async (what: keyof Busy, act: () => Promise<unknown>) => {
    sink.mark({ [what]: true });
    try {
      await act();
    } finally {
      sink.mark({ [what]: false });
    }
    return "done" as const;
  };
  /** Runs an action that continues the run, after the user grants the permissions the run needs. */
  const allowed = (act: () => Promise<unknown>) =>
    withTrust(async () => {
      const view = sink.view();
      if (view !== null) return view;
      const { document, summary } = await api().runDetail(runId);
      return { document, flowPath: summary.flowPath };
    }, act);

  return {
    store: null,
    runAgainLabel: "Run again",
    opensLive: false,

    follow(hasChannel = false) {
      if (!hasChannel) watchRun(runId, sink, () => undefined);
    },

    stop: (status) =>
      whileBusy("stopping", async () => {
        await api().stopRun(runId);
        // A suspended run sends no event when it is stopped.
        if (isSuspended(status)) sink.change(({ state }) => ({ state: endedAs(state, "cancelled") }));
      }),

    pause: () => whileBusy("pausing", () => api().pauseRun(runId)),

    unpause: () => whileBusy("pausing", () => allowed(() => api().continueRun(runId, channelTo(sink)))),

    async resume(budget) {
      const channel = heldChannel();
      await allowed(() => api().resumeRun(runId, budget, channel.push));
      // Show the run in the state from which it continues, without the recorded end that its exhausted budget
      // caused.
      const [{ document }, events] = await Promise.all([api().runDetail(runId), api().runEvents(runId)]);
      const recorded = foldAll(runId, events);
      const add = (some: readonly RunEvent[]) => sink.add(unseen(sink.view()?.state ?? recorded, some));
      const early = channel.open({ ...sink, add });
      const state = foldEvents(recorded, unseen(recorded, early));
      sink.change(() => ({ document, state, live: true }));
      return "done";
    },

    async answer(path, answer) {
      await allowed(() => api().answerRun(runId, path, answer, channelTo(sink)));
      sink.change(() => ({ live: true }));
      return "done";
    },

    async confirmFork(edits) {
      const { document, path } = await api().forkedFlow(runId, null, edits);
      return confirmTrust(document, path);
    },
    fork: (request) => (onEvent) => api().forkRun({ ...request, runId }, onEvent),

    askAgain: (path) => api().askAgain(runId, path),
  };
}
