// Runs in the window: live ones as they happen, past ones next to the open document.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { isDirty, useDocument } from "../../document/document";
import { type ApiFailure, api, replaceBackend } from "../../ipc/client";
import type { FlowDoc, RunEvent, RunStatus } from "../../ipc/generated/bindings";
import { testBackend } from "../../ipc/testing";
import { failure } from "../../ipc/testing/failures";
import { runDetail } from "../../ipc/testing/values";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { asksAt, completed, events, refine, runCompleted, runStarted, started } from "../fold/samples";
import { stepIteration } from "../view/cursor";
import { shownStep } from "../view/view";
import { isUnfinished, sessionOf, shownRun, useRuns } from "./store";

const document: FlowDoc = {
  name: "In hand",
  nodes: [{ id: "draft", type: "llm", position: { x: 0, y: 0 }, data: {} }],
  edges: [],
};
const all = events("r1", refine());
/** Waits, frame by frame, until the condition is true. */
const until = (holds: () => boolean) =>
  vi.waitFor(() => expect(holds()).toBe(true), { timeout: 3000, interval: 20 });
const state = () => useRuns.getState().live?.state;

/** Creates a backend with a scripted run. */
function scripted(refuse?: ApiFailure) {
  let emit: (event: RunEvent) => void = () => {};
  const stopped: string[] = [];
  const answers: unknown[] = [];
  replaceBackend({
    ...testBackend(),
    startRun: async (_id, onEvent) => {
      if (refuse) throw refuse;
      emit = onEvent;
      return "r1";
    },
    stopRun: async (id) => stopped.push(id),
    answerRun: async (id, path, answer, onEvent) => {
      answers.push([id, path, answer]);
      emit = onEvent;
    },
    resumeRun: async (_id, _budget, onEvent) => {
      emit = onEvent;
    },
    runDetail: async () =>
      runDetail({ summary: { flowPath: "/old.loop" }, document: { ...document, name: "As it was" } }),
    runOutline: async () => all.filter((e) => !e.path.includes("[")),
    runEvents: async () => all.filter((e) => e.type !== "workflow.node.streaming"),
  });
  return {
    emitAll: (some: readonly RunEvent[]) => {
      for (const event of some) emit(event);
    },
    stopped,
    answers,
  };
}

const shownDraft = () => {
  const view = shownRun(useRuns.getState());
  return view && shownStep(view.state, useChosenIteration.getState().chosen, "draft")?.preview;
};

beforeEach(() => {
  useDocument.getState().open({ document, path: "/mine.loop", version: "1" });
  useSession.getState().setLayout("edit");
  useChosenIteration.getState().reset();
  useRuns.setState({ live: null, past: null, starting: false, stopping: false });
});

describe("a live run", () => {
  test("is there at once, folds what comes, and ends", async () => {
    const backend = scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    expect(isUnfinished(shownRun(useRuns.getState()))).toBe(true);
    backend.emitAll(all);
    await until(() => state()?.status === "completed");
    expect(isUnfinished(shownRun(useRuns.getState()))).toBe(false);
    expect(shownDraft()).toBe("draft 3");
  });

  test("a chosen iteration stays while the run goes on; stepping past the newest follows again", async () => {
    const backend = scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    const second = all.findIndex((e) => e.type === "workflow.node.iteration" && e.index === 1);
    backend.emitAll(all.slice(0, second + 1));
    await until(() => state()?.root.steps.refine?.loop?.current === 2);
    stepIteration("refine", -1);
    expect(shownDraft()).toBe("draft 1");
    backend.emitAll(all.slice(second + 1));
    await until(() => state()?.status === "completed");
    expect(shownDraft()).toBe("draft 1");
    stepIteration("refine", 1);
    expect(shownDraft()).toBe("draft 2");
    stepIteration("refine", 1);
    expect(shownDraft()).toBe("draft 3");
    expect(useChosenIteration.getState().chosen.refine).toBe("live");
  });

  test("a refused start says why and leaves the run before in its place", async () => {
    scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    const before = useRuns.getState().live;
    const refused = failure("notPrepared", "r1");
    scripted(refused);
    await expect(useRuns.getState().start({ id: "r1", document: document, flowPath: null })).rejects.toThrow(
      refused.message,
    );
    expect(useRuns.getState()).toMatchObject({ live: before, starting: false });
  });

  test("can be stopped", async () => {
    const backend = scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    backend.emitAll(all.slice(0, 3));
    await until(() => state()?.runId === "r1");
    await useRuns.getState().stop();
    expect(backend.stopped).toEqual(["r1"]);
  });

  test("leaves the canvas with its document", async () => {
    scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    useDocument.getState().open({ document: { ...document, name: "Another" }, path: null, version: null });
    expect(useRuns.getState().live).toBeNull();
  });
});

describe("a run that waits for a person", () => {
  const asks = events("r1", [runStarted(), started("ask"), asksAt("ask")]);
  const yes = { approved: true, value: "better", comment: null };

  test("goes on with the answer", async () => {
    const backend = scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    backend.emitAll(asks);
    await until(() => state()?.status === "waiting");
    await sessionOf("r1").answer("ask", yes);
    expect(backend.answers).toEqual([["r1", "ask", yes]]);
    const whole = [
      runStarted(),
      started("ask"),
      asksAt("ask"),
      completed("ask", { branch: "approved" }),
      runCompleted({ out: "better" }),
    ];
    backend.emitAll(events("r1", whole).slice(asks.length));
    await until(() => state()?.status === "completed");
    expect(state()?.root.steps.ask).toMatchObject({ status: "completed", branch: "approved" });
  });

  test("can be stopped, although it says nothing then", async () => {
    const backend = scripted();
    await useRuns.getState().start({ id: "r1", document: document, flowPath: null });
    backend.emitAll(asks);
    await until(() => state()?.status === "waiting");
    await useRuns.getState().stop();
    expect(backend.stopped).toEqual(["r1"]);
    expect(state()?.status).toBe("cancelled");
    expect(state()?.root.steps.ask?.status).toBe("cancelled");
  });
});

test("an interrupted run goes on where its record ends", async () => {
  const backend = scripted();
  const cut = all.findIndex((e) => e.type === "workflow.node.started" && e.path === "refine[2]/draft");
  replaceBackend({
    ...api(),
    runDetail: async () => runDetail({ summary: { status: "interrupted" }, document }),
    runEvents: async () => all.slice(0, cut + 1),
  });
  await useRuns.getState().resume("r1");
  const past = () => useRuns.getState().past?.state;
  expect(isUnfinished(useRuns.getState().past)).toBe(true);
  expect(past()?.root.steps.refine?.loop?.current).toBe(2);
  backend.emitAll(all.slice(cut + 1));
  await until(() => past()?.status === "completed");
  expect(past()?.root.steps.refine?.loop?.iterations.map((i) => i.status)).toEqual([
    "completed",
    "completed",
    "completed",
  ]);
});

describe("a run of this computer that another program leads", () => {
  const yes = { approved: true, value: null, comment: null };
  const asks = events("r0", [runStarted(), started("ask"), asksAt("ask")]);
  const rest = events("r0", [runStarted(), started("ask"), asksAt("ask"), completed("ask"), runCompleted()]);

  /** Creates a run on a worker with these recorded events. `follow` delivers the later ones. */
  function led(recorded: readonly RunEvent[], status: RunStatus) {
    const followed: number[] = [];
    const backend = scripted();
    let follow: (event: RunEvent) => void = () => {};
    replaceBackend({
      ...api(),
      runDetail: async () => runDetail({ summary: { status }, document }),
      runOutline: async () => [...recorded],
      runEvents: async () => [...recorded],
      followRun: async (_id, from, onEvent) => {
        followed.push(from);
        follow = onEvent;
      },
    });
    return { ...backend, followed, follow: (event: RunEvent) => follow(event) };
  }

  test("is a record, and what happens to it is followed", async () => {
    const whole = events("r0", refine());
    const { followed, follow } = led(whole.slice(0, 4), "running");
    await useRuns.getState().open("r0");
    expect(useRuns.getState().past?.live).toBe(false);
    await until(() => followed.length === 1);
    expect(followed).toEqual([(whole[3]?.seq ?? 0) + 1]);
    for (const event of whole.slice(4)) follow(event);
    await until(() => useRuns.getState().past?.state.status === "completed");
  });

  test("is answered here: events that come both ways are folded once, and nobody else answered", async () => {
    useSession.setState({ toasts: [] });
    const run = led(asks, "waiting");
    await useRuns.getState().open("r0");
    await until(() => run.followed.length === 1);
    expect(await sessionOf("r0").answer("ask", yes)).toBe("done");
    expect(useRuns.getState().past?.live).toBe(true);
    run.emitAll(rest.slice(3));
    for (const event of rest.slice(3)) run.follow(event);
    await until(() => useRuns.getState().past?.state.status === "completed");
    await new Promise((done) => setTimeout(done, 100));
    expect(useRuns.getState().past?.state.log.map(({ seq }) => seq)).toEqual(rest.map(({ seq }) => seq));
    expect(useSession.getState().toasts).toEqual([]);
  });
});

describe("a live run that waits", () => {
  test("is followed from then on, because someone may answer elsewhere", async () => {
    const asks = events("r1", [runStarted(), started("ask"), asksAt("ask")]);
    const rest = events("r1", [
      runStarted(),
      started("ask"),
      asksAt("ask"),
      completed("ask"),
      runCompleted(),
    ]);
    const run = scripted();
    const followed: number[] = [];
    let follow: (event: RunEvent) => void = () => {};
    replaceBackend({
      ...api(),
      runDetail: async () => runDetail({ summary: { status: "waiting" }, document }),
      followRun: async (_id, from, onEvent) => {
        followed.push(from);
        follow = onEvent;
      },
    });
    await useRuns.getState().start({ id: "r1", document, flowPath: null });
    run.emitAll(asks);
    await until(() => useRuns.getState().live?.state.status === "waiting");
    await until(() => followed.length > 0);
    expect(followed[0]).toBe((asks.at(-1)?.seq ?? 0) + 1);
    for (const event of rest.slice(3)) follow(event);
    await until(() => useRuns.getState().live?.state.status === "completed");
    expect(useRuns.getState().live?.state.log.map(({ seq }) => seq)).toEqual(rest.map(({ seq }) => seq));
  });
});

describe("a past run", () => {
  test("shows its own document, which cannot be edited, and gives back the one in hand", async () => {
    scripted();
    const { edit } = useDocument.getState();
    edit((d) => ({ ...d, name: "Changed" }), { label: "Rename" });
    await useRuns.getState().open("r0");
    expect(useDocument.getState().document.name).toBe("As it was");
    edit((d) => ({ ...d, name: "Vandalised" }), { label: "Rename" });
    expect(useDocument.getState().document.name).toBe("As it was");
    expect(isDirty(useDocument.getState())).toBe(true);
    expect(shownDraft()).toBe("draft 3");
    useRuns.getState().closePast();
    expect(useDocument.getState()).toMatchObject({ path: "/mine.loop", suspended: null });
    expect(useDocument.getState().document.name).toBe("Changed");
    expect(useDocument.getState().undo()).toBe("Rename");
  });

  test("is closed by going back to editing", async () => {
    scripted();
    await useRuns.getState().open("r0");
    useSession.getState().setLayout("run");
    useSession.getState().setLayout("edit");
    expect(useRuns.getState().past).toBeNull();
    expect(useDocument.getState().document.name).toBe("In hand");
  });
});
