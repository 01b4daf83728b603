// Requests to runs on workers: when a request counts as acted on, and how an unreachable store is described.
import { beforeEach, describe, expect, test } from "vitest";
import type { RunStatus } from "../../ipc/generated/bindings";
import { isSettled, type RequestKind, requestWords, useRequests } from "./requests";
import { sessionOf } from "./store";
import { outOfReach } from "./stores";

const request = (kind: RequestKind, status: RunStatus, moved = false) => ({
  kind,
  path: kind === "answer" ? "ask" : null,
  approved: kind === "answer" ? true : null,
  status,
  seq: 5,
  moved,
});
const known = (status: RunStatus, seq: number | null = null, waiting: string[] | null = null) => ({
  status,
  seq,
  waiting,
});

describe("a request is settled", () => {
  test("to stop: once the run is over", () => {
    const stop = request("stop", "running");
    expect(["running", "waiting", "interrupted"].map((s) => isSettled(stop, known(s as RunStatus)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isSettled(stop, known("cancelled"))).toBe(true);
    expect(isSettled(stop, known("completed"))).toBe(true);
  });

  test("to pause: once it does not run any more", () => {
    expect(isSettled(request("pause", "running"), known("running", 9))).toBe(false);
    expect(isSettled(request("pause", "running"), known("paused"))).toBe(true);
  });

  test("to resume: by a new event or another status", () => {
    const resume = request("resume", "paused");
    expect(isSettled(resume, known("paused", 5))).toBe(false);
    expect(isSettled(resume, known("paused", 6))).toBe(true);
    expect(isSettled(resume, known("running"))).toBe(true);
  });

  test("to resume with a larger budget: not by the status in between, and also where the batch has no room", () => {
    expect(isSettled(request("resume", "failed"), known("interrupted"))).toBe(false);
    expect(isSettled(request("resume", "failed", true), known("failed"))).toBe(true);
    expect(isSettled(request("resume", "failed", true), known("running"))).toBe(true);
  });

  test("an answer: once its step does not wait", () => {
    const answer = request("answer", "waiting");
    expect(isSettled(answer, known("waiting", 5, ["ask"]))).toBe(false);
    expect(isSettled(answer, known("running", 5, ["ask"]))).toBe(false);
    expect(isSettled(answer, known("waiting", 6, ["other"]))).toBe(true);
    expect(isSettled(answer, known("running"))).toBe(true);
  });
});

describe("the requests of the window", () => {
  beforeEach(() => useRequests.setState({ byRun: {} }));
  const { add, settle } = useRequests.getState();
  const of = (runId: string) => useRequests.getState().byRun[runId];

  test("stay until they are settled, each in words", () => {
    add("work/a", { kind: "stop", path: null, approved: null, status: "running", seq: 1 });
    settle("work/b", known("cancelled"));
    settle("work/a", known("running"));
    const kept = of("work/a");
    expect(kept && requestWords(kept)).toBe("Asked to stop…");
    settle("work/a", known("cancelled"));
    expect(of("work/a")).toBeUndefined();
  });

  test("a larger budget for which there is no room leaves the run as it was", () => {
    add("work/a", { kind: "resume", path: null, approved: null, status: "failed", seq: 1 });
    settle("work/a", known("failed"));
    settle("work/a", known("interrupted"));
    expect(of("work/a")).toBeDefined();
    settle("work/a", known("failed"));
    expect(of("work/a")).toBeUndefined();
  });
});

test("a run's id says where it is", () => {
  expect([sessionOf("0192-af").store, sessionOf("work/0192-af").store]).toEqual([null, "work"]);
});

test("a store out of reach is named, with the reason and nothing twice", () => {
  const message = "The run store cannot be reached: it does not answer. See its server.";
  const silent = { message, subject: "store", reason: "It does not answer. See its server." } as const;
  expect(outOfReach("work", silent)).toEqual({
    title: "The store work cannot be reached.",
    why: "It does not answer. See its server.",
  });
  // The result does not depend on the text of the message.
  expect(outOfReach("work", { message, subject: null, reason: null })).toEqual({
    title: "The store work cannot be used.",
    why: message,
  });
});
