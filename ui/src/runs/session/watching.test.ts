// Runs of shared stores in the window. They execute on a worker; the window follows their events and polls
// their status.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useDocument } from "../../document/document";
import { ApiFailure, api, replaceBackend } from "../../ipc/client";
import type { FlowDoc, RunEvent, RunStatus, StepDetail, StepStatus } from "../../ipc/generated/bindings";
import { waiting } from "../../ipc/generated/recorded/runs";
import { testBackend } from "../../ipc/testing";
import { failure } from "../../ipc/testing/failures";
import { runDetail } from "../../ipc/testing/values";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { useTrust } from "../../trust/store";
import {
  asksAt,
  completed,
  events,
  refine,
  runCompleted,
  runFailed,
  runStarted,
  started,
} from "../fold/samples";
import { forkAndShow } from "./fork";
import { useRequests } from "./requests";
import { isUnfinished, sessionOf, shownRun, useRuns } from "./store";
import { useStores } from "./stores";

const document: FlowDoc = { schemaVersion: 1, name: "Remote", nodes: [], edges: [] };
const RUN = "work/r1";
const silent = failure("silentStore", "work");
const asking = waiting.steps.ask as StepDetail;
const all = events(RUN, refine());
const until = (holds: () => boolean) =>
  vi.waitFor(() => expect(holds()).toBe(true), { timeout: 6000, interval: 20 });
const state = () => shownRun(useRuns.getState())?.state;
const request = () => useRequests.getState().byRun[RUN]?.kind;
const toasts = () => useSession.getState().toasts.map(({ title }) => title);

/** Creates a store with one run whose worker the test controls. */
function store(begin: { status: RunStatus; recorded: readonly RunEvent[] }) {
  const followed: number[] = [];
  const left: string[] = [];
  const asked: unknown[][] = [];
  const worker = {
    status: begin.status,
    recorded: [...begin.recorded],
    step: "waiting" as StepStatus,
    followed,
    left,
    asked,
    refuse: null as Error | null,
    silent: false,
    emit: (_events: readonly RunEvent[]) => {},
    /** Records events, and sends those in `some` to followers. */
    does(status: RunStatus, some: readonly RunEvent[]) {
      worker.status = status;
      worker.recorded.push(...some);
      worker.emit(some);
    },
  };
  const ask =
    (kind: string) =>
    async (...rest: unknown[]) => {
      if (worker.refuse) throw worker.refuse;
      asked.push([kind, ...rest.filter((part) => typeof part !== "function")]);
    };
  replaceBackend({
    ...testBackend(),
    runDetail: async (id) => {
      if (worker.silent) throw failure("silentStore", id);
      return runDetail({ summary: { runId: id, status: worker.status }, document, inputs: {} });
    },
    runOutline: async () => worker.recorded.filter((e) => !e.path.includes("[")),
    runEvents: async () => [...worker.recorded],
    stepDetail: async () => ({ ...asking, status: worker.step }),
    followRun: async (_id, from, onEvent) => {
      followed.push(from);
      worker.emit = (some) => {
        for (const event of some) onEvent(event);
      };
      // The events recorded since the requested number are sent immediately.
      worker.emit(worker.recorded.filter((event) => event.seq >= from));
    },
    unfollowRun: async (id) => {
      left.push(id);
      worker.emit = () => {};
    },
    stopRun: ask("stop"),
    pauseRun: ask("pause"),
    resumeRun: ask("resume"),
    answerRun: ask("answer"),
    continueRun: ask("continue"),
    forkRun: async ({ runId }, onEvent) => {
      asked.push(["fork", runId]);
      for (const event of events("work/forked", [runStarted()])) onEvent(event);
      return "work/forked";
    },
    forkedFlow: vi.fn(),
  });
  return worker;
}

beforeEach(() => {
  useDocument.getState().open({ document, path: "/mine.loop", version: "1" });
  useSession.getState().setLayout("edit");
  useSession.setState({ toasts: [] });
  useChosenIteration.getState().reset();
  useRuns.setState({ live: null, past: null, starting: false, stopping: false, background: {} });
  useRequests.setState({ byRun: {} });
  useStores.setState({ silent: {} });
});

describe("a run that a worker leads", () => {
  test("is followed from the event behind the last one, and watched to its end", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    expect(isUnfinished(shownRun(useRuns.getState()))).toBe(true);
    await until(() => worker.followed.length === 1);
    expect(worker.followed).toEqual([(all[3]?.seq ?? 0) + 1]);
    worker.does("completed", all.slice(4));
    await until(() => state()?.status === "completed");
    expect(state()?.root.steps.refine?.loop?.iterations.map((i) => i.status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
    expect(state()?.log.filter((e) => e.type === "workflow.started")).toHaveLength(1);
  });

  test("waits in the queue, and is watched once a worker begins it", async () => {
    const worker = store({ status: "queued", recorded: [] });
    await useRuns.getState().open(RUN);
    expect(state()).toMatchObject({ status: "queued", endedAt: null });
    expect(isUnfinished(shownRun(useRuns.getState()))).toBe(true);
    await until(() => worker.followed.length === 1);
    expect(worker.followed).toEqual([0]);
    worker.does("running", all.slice(0, 3));
    await until(() => state()?.status === "running");
  });

  test("is caught up with where it was suspended and another window let it go on", async () => {
    const asks = events(RUN, [runStarted(), started("ask"), asksAt("ask")]);
    const more = events(RUN, [
      runStarted(),
      started("ask"),
      started("ask"),
      completed("ask"),
      runCompleted({ out: "x" }),
    ]).slice(3);
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    expect(state()?.waiting).toEqual(["ask"]);
    // No event is sent, so the change is found by polling the status.
    worker.recorded.push(...more);
    worker.status = "completed";
    await until(() => state()?.status === "completed");
    expect(toasts()).toEqual(["The question is already answered"]);
  });

  test("that no worker could continue says so, although it has no event", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    worker.status = "interrupted";
    await until(() => state()?.status === "interrupted");
  });

  test("stays as it is while its store does not answer, without a word over the page", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    await until(() => worker.followed.length === 1);
    worker.silent = true;
    await until(() => useStores.getState().silent.work !== undefined);
    expect(state()?.status).toBe("running");
    expect(toasts()).toEqual([]);
    worker.silent = false;
    await until(() => useStores.getState().silent.work === undefined);
    // The channel for events may have ended with the connection.
    await until(() => worker.followed.length === 2);
  });

  test("is not looked at any more once it is closed", async () => {
    store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    const detail = vi.spyOn(api(), "runDetail");
    useRuns.getState().closePast();
    await new Promise((done) => setTimeout(done, 1300));
    expect(detail.mock.calls.length).toBeLessThanOrEqual(1);
  });

  test("is followed no more as soon as it is left, and again once it is shown again", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    await until(() => worker.followed.length === 1);
    useRuns.getState().closePast();
    expect(worker.left).toEqual([RUN]);
    await useRuns.getState().open(RUN);
    await until(() => worker.followed.length === 2);
    worker.does("completed", all.slice(4));
    await until(() => state()?.status === "completed");
    expect(worker.left).toEqual([RUN]);
  });

  test("is followed no more where it was left before it was followed", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    const follow = api().followRun;
    vi.spyOn(api(), "followRun").mockImplementation(async (...of) => {
      useRuns.getState().closePast();
      await follow(...of);
    });
    await useRuns.getState().open(RUN);
    await until(() => worker.left.length === 1);
    expect(worker.followed).toHaveLength(1);
  });

  test("a fork of it is led by a worker too, and nothing is asked of this computer's trust", async () => {
    const worker = store({ status: "completed", recorded: all });
    await useRuns.getState().open(RUN);
    const target = { runId: RUN, flowPath: null } as Parameters<typeof forkAndShow>[0];
    await forkAndShow(target, "refine[2]", {});
    expect(worker.asked).toEqual([["fork", RUN]]);
    expect(api().forkedFlow).not.toHaveBeenCalled();
    expect(useTrust.getState().open).toBeNull();
    expect(state()?.runId).toBe("work/forked");
  });
});

describe("what is asked of it", () => {
  test("to stop is said until the worker has stopped it", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    await until(() => worker.followed.length === 1);
    await useRuns.getState().stop();
    expect(worker.asked).toEqual([["stop", RUN]]);
    expect(request()).toBe("stop");
    expect(state()?.status).toBe("running");
    const seq = all[3]?.seq ?? 0;
    worker.does("cancelled", [
      { ...events(RUN, [runFailed("cancelled", "cancelled")])[0], seq: seq + 1 } as RunEvent,
    ]);
    await until(() => state()?.status === "cancelled");
    expect(request()).toBeUndefined();
  });

  test("to pause and to resume goes to the worker", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    await useRuns.getState().pause();
    expect(request()).toBe("pause");
    const seq = all[3]?.seq ?? 0;
    const at = all[3]?.at ?? "";
    const paused = { type: "workflow.paused", run_id: RUN, path: "", node_id: null, seq: seq + 1, at };
    worker.does("paused", [paused as RunEvent]);
    await until(() => state()?.status === "paused" && request() === undefined);
    await useRuns.getState().resumeLive();
    expect(request()).toBe("resume");
    worker.does("running", [{ ...paused, type: "workflow.continued", seq: seq + 2 } as RunEvent]);
    await until(() => state()?.status === "running");
    expect(request()).toBeUndefined();
    expect(worker.asked.map(([kind]) => kind)).toEqual(["pause", "resume"]);
  });

  test("a run over its budget gets a larger one, and is watched again", async () => {
    const over = events(RUN, [runStarted(), runFailed("failed", "budget_exceeded")]);
    const worker = store({ status: "failed", recorded: over });
    await useRuns.getState().open(RUN);
    await useRuns.getState().resume(RUN, { usd: 2, tokens: null });
    expect(worker.asked).toEqual([["resume", RUN, { usd: 2, tokens: null }]]);
    expect(request()).toBe("resume");
    worker.status = "running";
    worker.recorded.push(
      ...events(RUN, [
        runStarted(),
        runStarted(),
        { type: "workflow.budget_set", budget_usd: 2, budget_tokens: null },
      ]).slice(2),
    );
    await until(() => state()?.status === "running");
    expect(request()).toBeUndefined();
  });

  test("what is refused is not asked", async () => {
    const worker = store({ status: "running", recorded: all.slice(0, 4) });
    await useRuns.getState().open(RUN);
    worker.refuse = silent;
    await expect(useRuns.getState().stop()).rejects.toThrow(silent.message);
    expect(request()).toBeUndefined();
  });
});

describe("an answer", () => {
  const asks = events(RUN, [runStarted(), started("ask"), asksAt("ask")]);
  const answeredWith = (branch: string) =>
    events(RUN, [
      runStarted(),
      runStarted(),
      runStarted(),
      completed("ask", { branch }),
      runCompleted(),
    ]).slice(3);
  const yes = { approved: true, value: null, comment: null };

  test("is sent, and settled by the events that it leads to", async () => {
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    await sessionOf(RUN).answer("ask", yes);
    expect(worker.asked).toEqual([["answer", RUN, "ask", yes]]);
    expect(useRequests.getState().byRun[RUN]).toMatchObject({ kind: "answer", path: "ask", approved: true });
    worker.does("completed", answeredWith("approved"));
    await until(() => state()?.status === "completed");
    expect(request()).toBeUndefined();
    expect(toasts()).toEqual([]);
  });

  test("is this window's, also where the status is read before the events are", async () => {
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    await until(() => worker.followed.length >= 1);
    await sessionOf(RUN).answer("ask", yes);
    worker.status = "completed";
    await new Promise((done) => setTimeout(done, 700));
    expect(request()).toBe("answer");
    worker.does("completed", answeredWith("approved"));
    await until(() => state()?.root.steps.ask?.status === "completed" && request() === undefined);
    expect(toasts()).toEqual([]);
  });

  test("that comes second is not taken, and the person is told", async () => {
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    worker.refuse = new ApiFailure({ code: "invalid_argument", message: "It does not wait for an answer." });
    worker.step = "completed";
    await sessionOf(RUN).answer("ask", yes);
    expect(toasts()).toEqual(["The question is already answered"]);
    expect(request()).toBeUndefined();
  });

  test("that was refused for another reason is an error, and the question stays", async () => {
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    worker.refuse = silent;
    await expect(sessionOf(RUN).answer("ask", yes)).rejects.toThrow(silent.message);
    expect(toasts()).toEqual([]);
    expect(state()?.waiting).toEqual(["ask"]);
  });

  test("where somebody else's is under way is refused, and the person is told once it is taken", async () => {
    const worker = store({ status: "waiting", recorded: asks });
    await useRuns.getState().open(RUN);
    worker.refuse = new ApiFailure({ code: "invalid_argument", message: "Somebody has answered this." });
    await expect(sessionOf(RUN).answer("ask", yes)).rejects.toThrow("Somebody has answered this.");
    expect(state()?.waiting).toEqual(["ask"]);
    worker.does("completed", answeredWith("rejected"));
    await until(() => state()?.status === "completed");
    expect(toasts()).toEqual(["The question is already answered"]);
  });
});
