// A run in a shared store that a worker executes. Requests are sent to the worker, and shown as pending until
// it acts on them.
import { api } from "../../ipc/client";
import type { RunEvent, RunStatus } from "../../ipc/generated/bindings";
import { titleIn } from "../../kernels/node-title";
import type { RunState } from "../fold/model";
import { tellAnswered } from "./answered";
import { type RequestKind, type RunRequest, useRequests } from "./requests";
import type { Asked, RunSession } from "./run-session";
import { type RunSink, unseen } from "./sink";
import { useStores } from "./stores";
import { lookAgain, watchRun } from "./watching";

const ignore = () => undefined;

export function sessionByWorkers(runId: string, store: string, sink: RunSink): RunSession {
  const ownRequest = () => useRequests.getState().byRun[runId];
  const heard = (failure: unknown) => useStores.getState().heard(store, failure);

  /** A sink that also reports when someone else answers a question of this run. */
  const shared: RunSink = {
    ...sink,
    add(events) {
      const before = sink.view()?.state;
      if (before === undefined) return;
      const fresh = unseen(before, events);
      if (fresh.length === 0) return;
      // The pending request is read first, because these events may settle and remove it.
      const request = ownRequest();
      sink.add(events);
      noteAnswers(before, fresh, request);
    },
  };

  /** Shows a notification if someone else answered a question of the shown run. */
  function noteAnswers(before: RunState, events: readonly RunEvent[], request?: RunRequest): void {
    const view = sink.view();
    if (view === null || !sink.isInFront() || view.state.status === "cancelled") return;
    for (const event of events) {
      if (event.type !== "workflow.node.completed" && event.type !== "workflow.node.failed") continue;
      if (!before.waiting.includes(event.path)) continue;
      const isOwn = request?.kind === "answer" && request.path === event.path;
      if (!isOwn) tellAnswered(titleIn(view.document, event.node_id ?? ""));
    }
  }

  const look = () => {
    if (sink.view() !== null) lookAgain(runId, shared, heard);
  };

  /** Sends a request and records it until a worker acts on it. */
  async function ask(
    kind: RequestKind,
    act: () => Promise<unknown>,
    known: { status?: RunStatus; path?: string; approved?: boolean } = {},
  ): Promise<Asked> {
    const state = sink.view()?.state;
    const status = known.status ?? state?.status;
    // The run is no longer shown, so no view would show the request as pending.
    if (status === undefined) return "done";
    const seq = state?.log.at(-1)?.seq ?? -1;
    const { add, remove } = useRequests.getState();
    add(runId, { kind, path: known.path ?? null, approved: known.approved ?? null, status, seq });
    try {
      await act();
    } catch (error) {
      remove(runId);
      look();
      throw error;
    }
    look();
    return "sent";
  }

  const resume: RunSession["resume"] = (budget) =>
    ask("resume", () => api().resumeRun(runId, budget, ignore));

  return {
    store,
    runAgainLabel: "Run on this computer",
    opensLive: true,

    follow: (hasChannel = false) => watchRun(runId, shared, heard, hasChannel),
    stop: (status) => ask("stop", () => api().stopRun(runId), { status }),
    pause: () => ask("pause", () => api().pauseRun(runId)),
    unpause: () => resume(null),
    resume,

    async answer(path, answer) {
      try {
        const { approved } = answer;
        const act = () => api().answerRun(runId, path, answer, ignore);
        // A question can be answered from the list of open questions while its run is not shown. Its status
        // is then "waiting", or "running" if other steps continue.
        const status = sink.view()?.state.status ?? "waiting";
        return await ask("answer", act, { status, path, approved });
      } catch (error) {
        // The request may have been refused because another window was faster.
        const step = await api()
          .stepDetail(runId, path)
          .catch(() => null);
        if (step === null || step.status === "waiting") throw error;
        const document = sink.view()?.document;
        tellAnswered(document ? titleIn(document, step.node_id) : step.node_id);
        return "sent";
      }
    },

    // The workers decide which permissions a fork in a store has.
    confirmFork: async () => true,
    fork: (request) => (onEvent) => api().forkRun({ ...request, runId }, onEvent),

    // Workers cannot receive this request.
    askAgain: null,
  };
}
