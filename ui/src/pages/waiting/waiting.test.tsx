// The page with the open questions: order, keys, similar questions, the rule that a question must be looked
// at first, denying, and errors.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useKinds } from "../../document/kinds";
import { useTools } from "../../document/tools";
import { ApiFailure, api, replaceBackend } from "../../ipc/client";
import type { OpenQuestion, StepAnswer } from "../../ipc/generated/bindings";
import * as recordings from "../../ipc/generated/recorded/runs";
import { testBackend } from "../../ipc/testing";
import { failure } from "../../ipc/testing/failures";
import { waitingStep } from "../../ipc/testing/tool-requests";
import { useAnswers } from "../../runs/session/answers";
import { useRequests } from "../../runs/session/requests";
import { useStores } from "../../runs/session/stores";
import { useSession } from "../../session/session";
import { StatusBar } from "../../shell/StatusBar";
import { testIds } from "../../testids";
import { answerQuestion, byTestId, inputValue, pressButton, pressKey, settle } from "../evaluate/testing";
import { LOOK_MS, WaitingPage } from "../WaitingPage";
import { alike, currentAfter, keyOf } from "./alike";
import { STORE_TIMEOUT_MS, useWaiting } from "./store";

const page = pageForEach();

const recorded = (path: string, type: string): OpenQuestion => {
  const found = recordings.openQuestions.find((one) => one.path === path && one.nodeType === type);
  if (!found) throw new Error(`no open question of ${path} is recorded`);
  return found;
};
const APPROVAL = recorded("ask", "approval");
const CALL = recorded("fetch", "tool");

/**
 * Each test's runs have their own ids, since the values of steps are cached until their question is answered.
 */
let turn = 0;
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`;
const asks = (run: string, minute: number, more: Partial<OpenQuestion> = {}): OpenQuestion => ({
  ...APPROVAL,
  runId: `${run}-${turn}`,
  askedAt: at(minute),
  ...more,
});

let open: OpenQuestion[] = [];
let answers: { runId: string; path: string; answer: StepAnswer }[] = [];
let refuse: ((runId: string) => ApiFailure | null) | null = null;
/** How reading each unreadable store fails, by the name of the store. */
const silent = new Map<string, () => Promise<OpenQuestion[]>>();

const isOf = (runId: string, path: string) => (one: OpenQuestion) => one.runId === runId && one.path === path;

beforeEach(async () => {
  turn += 1;
  open = [];
  answers = [];
  refuse = null;
  silent.clear();
  useStores.setState({ stores: [], silent: {} });
  useRequests.setState({ byRun: {} });
  const backend = testBackend();
  replaceBackend({
    ...backend,
    openQuestions: async (store) => {
      const silence = store === null ? undefined : silent.get(store);
      if (silence) return await silence();
      return structuredClone(open.filter((one) => one.store === store));
    },
    stepDetail: async (runId, path) => {
      const { question, request } = open.find(isOf(runId, path)) ?? APPROVAL;
      const step = request ? waitingStep("http.request") : recordings.waiting.steps.ask;
      if (!step) throw new Error("no waiting step is recorded");
      return { ...structuredClone(step), question };
    },
    answerRun: async (runId, path, answer) => {
      const failure = refuse?.(runId);
      if (failure) throw failure;
      answers.push({ runId, path, answer });
      open = open.filter((one) => !isOf(runId, path)(one));
      return null;
    },
  });
  await useKinds.getState().load();
  useTools.setState(useTools.getInitialState(), true);
  useWaiting.setState(useWaiting.getInitialState(), true);
  useAnswers.setState({ written: {} });
  useSession.setState({ view: "waiting", toasts: [] });
});

const draw = async (...questions: OpenQuestion[]) => {
  open = questions;
  await act(async () => page.root.render(<WaitingPage />));
  await settle();
};
const addStore = (name: string) => api().addStore(name, "postgres://db/runs");
const looked = () => settle(LOOK_MS + 60);
const list = () => byTestId(page, testIds.questionList);
const rows = () => [...page.host.querySelectorAll<HTMLElement>('[role="option"]')];
const current = () => page.host.querySelector('[aria-selected="true"]')?.getAttribute("data-testid");
const rowOf = ({ runId, path }: OpenQuestion) => testIds.questionRow(runId, path);
const form = (id: string) => byTestId(page, testIds.questionDetail).querySelector(`[data-testid="${id}"]`);

test("questions are listed as Rust orders them, and the oldest is shown with its answers", async () => {
  const questions = [
    asks("old", 1, { runName: "night run" }),
    { ...CALL, runId: `call-${turn}`, askedAt: at(2) },
    asks("new", 3),
  ];
  await draw(...questions);
  expect(rows().map((row) => row.dataset.testid)).toEqual(questions.map(rowOf));
  expect(current()).toBe(rowOf(questions[0] as OpenQuestion));
  expect(page.host.querySelector("h2")?.textContent).toBe("3 open questions");
  const detail = byTestId(page, testIds.questionDetail);
  expect(detail.textContent).toContain("night run");
  expect(detail.textContent).toContain("Publish?");
  expect(detail.querySelector("time")?.dateTime).toBe(at(1));
  expect(form("approve")?.textContent).toBe("Approve");
  expect(form("approve-run")).toBeNull();
});

test("a tool call shows its facts, and can be allowed for the run", async () => {
  await draw({ ...CALL, runId: `call-${turn}` });
  expect(form("request-facts")?.textContent).toContain("http.request");
  expect(form("approve")?.textContent).toBe("Allow once");
  const button = form("approve-run");
  if (!(button instanceof HTMLElement)) throw new Error("no such button");
  await pressButton(button);
  expect(answers).toMatchObject([{ path: "fetch", answer: { approved: true, scope: "run" } }]);
  expect(page.host.textContent).toContain("Nothing is waiting for you");
});

test("keys move, approve and reject, but not before the question was shown for a moment", async () => {
  const [a, b, c] = [asks("a", 1), asks("b", 2), asks("c", 3)];
  await draw(a, b, c);
  await pressKey(list(), "a");
  expect(answers).toEqual([]);
  await looked();
  await pressKey(list(), "a", { repeat: true });
  expect(answers).toEqual([]);
  await pressKey(list(), "a");
  expect(answers).toMatchObject([{ runId: a.runId, path: "ask", answer: { approved: true, comment: null } }]);
  // The next question is shown, and an immediate second press does not answer it.
  expect(current()).toBe(rowOf(b));
  await pressKey(list(), "a");
  expect(answers).toHaveLength(1);
  await pressKey(list(), "j");
  expect(current()).toBe(rowOf(c));
  await pressKey(list(), "ArrowUp");
  expect(current()).toBe(rowOf(b));
  await pressKey(list(), "End");
  expect(current()).toBe(rowOf(c));
  await looked();
  await pressKey(list(), "r");
  expect(answers[1]).toMatchObject({ runId: c.runId, answer: { approved: false } });
  expect(current()).toBe(rowOf(b));
});

test("the reason is sent with the answer, and letters typed in it are no keys", async () => {
  const a = asks("a", 1);
  await draw(a);
  await looked();
  const field = form("answer-request")?.parentElement?.querySelector<HTMLInputElement>("input");
  if (!field) throw new Error("no field for a comment");
  await inputValue(field, "too long");
  await pressKey(field, "r");
  await pressKey(field, "a");
  expect(answers).toEqual([]);
  await pressKey(list(), "r");
  expect(answers).toMatchObject([{ answer: { approved: false, comment: "too long" } }]);
});

test("alike questions are approved together, once each of them was looked at", async () => {
  const group = [1, 2, 3].map((n) => asks(`run${n}`, n, { path: `refine[${n}]/ask` }));
  const other = asks("other", 4, { flow: "Another flow" });
  await draw(...group, other);
  const together = () => byTestId(page, testIds.approveAlike) as HTMLButtonElement;
  expect(together().textContent).toBe("Approve these 3");
  expect(together().disabled).toBe(true);
  await looked();
  expect(together().disabled).toBe(true);
  // Passing over a question does not count as looking at it.
  await pressKey(list(), "j");
  await pressKey(list(), "j");
  await looked();
  expect(together().disabled).toBe(true);
  expect(page.host.textContent).toContain("Look at the last one to answer them together.");
  await pressKey(list(), "k");
  await looked();
  expect(together().disabled).toBe(false);
  await pressButton(together());
  expect(answers.map(({ runId, answer }) => [runId, answer.approved])).toEqual(
    group.map(({ runId }) => [runId, true]),
  );
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(other)]);
});

test("a new question that is alike has to be looked at, too", async () => {
  const group = [asks("a", 1), asks("b", 2)];
  await draw(...group);
  await looked();
  await pressKey(list(), "j");
  await looked();
  const together = () => byTestId(page, testIds.approveAlike) as HTMLButtonElement;
  expect(together().disabled).toBe(false);
  open = [...open, asks("c", 3)];
  await act(async () => useWaiting.getState().load());
  expect(together().textContent).toBe("Approve these 3");
  expect(together().disabled).toBe(true);
});

test("the rest is denied after a confirmation with the number", async () => {
  const questions = [asks("a", 1), asks("b", 2), { ...CALL, runId: `call-${turn}`, askedAt: at(3) }];
  await draw(...questions);
  await looked();
  await pressButton(byTestId(page, testIds.denyRest));
  expect(await answerQuestion(false)).toContain("Deny 3 open questions?");
  expect(answers).toEqual([]);
  await pressButton(byTestId(page, testIds.denyRest));
  expect(await answerQuestion(true)).toContain("You have not seen 2 of them yet.");
  expect(answers.map(({ runId, answer }) => [runId, answer.approved])).toEqual(
    questions.map(({ runId }) => [runId, false]),
  );
  expect(page.host.textContent).toContain("Nothing is waiting for you");
});

test("an answer that is not accepted is explained at the question, which stays", async () => {
  const [a, b] = [asks("a", 1), asks("b", 2)];
  await draw(a, b);
  await looked();
  const message = "Another program leads the run.";
  refuse = (runId) => (runId === a.runId ? new ApiFailure({ code: "invalid_argument", message }) : null);
  await pressKey(list(), "a");
  expect(byTestId(page, "answer-refused").textContent).toContain(message);
  expect(byTestId(page, rowOf(a)).textContent).toContain(message);
  expect(current()).toBe(rowOf(a));
  refuse = null;
  await pressKey(list(), "a");
  expect(answers).toHaveLength(1);
  expect(rows()).toHaveLength(1);
});

test("several questions of one run are answered one after the other", async () => {
  const group = [1, 2, 3].map((n) => asks("one", n, { path: `each[${n}]/ask` }));
  const other = asks("other", 4, { flow: "Another flow" });
  await draw(...group, other);
  for (const _ of group) {
    await looked();
    await pressKey(list(), "j");
  }
  await pressKey(list(), "k");
  await pressButton(byTestId(page, testIds.approveAlike));
  expect(answers.map(({ path, answer }) => [path, answer.approved])).toEqual([
    ["each[1]/ask", true],
    ["each[2]/ask", true],
    ["each[3]/ask", true],
  ]);
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(other)]);
});

test("a question that somebody else has answered disappears, and the person learns it", async () => {
  const [a, b] = [asks("a", 1), asks("b", 2)];
  await draw(a, b);
  await looked();
  refuse = () => {
    open = [b];
    return new ApiFailure({ code: "invalid_argument", message: "Nothing waits at `ask`." });
  };
  await pressKey(list(), "a");
  expect(useSession.getState().toasts.map((toast) => toast.title)).toEqual([
    "The question is no longer open",
  ]);
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(b)]);
});

test("an answered question that is still listed for a moment does not appear again", async () => {
  const [a, b] = [asks("a", 1), asks("b", 2)];
  await draw(a, b);
  await looked();
  await pressKey(list(), "a");
  open = [a, b];
  await act(async () => useWaiting.getState().load());
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(b)]);
  // The step asks again.
  open = [{ ...a, askedAt: at(9) }, b];
  await act(async () => useWaiting.getState().load());
  expect(rows()).toHaveLength(2);
});

test("if the list cannot be read, the page says so and offers to try again", async () => {
  const broken = vi.spyOn(api(), "openQuestions").mockRejectedValue(new Error("The disk is full."));
  await draw();
  expect(page.host.querySelector('[role="alert"]')?.textContent).toContain("The disk is full.");
  broken.mockResolvedValue([asks("a", 1)]);
  const again = [...page.host.querySelectorAll("button")].find((one) => one.textContent === "Try again");
  if (!again) throw new Error("no button to try again");
  await pressButton(again);
  expect(rows()).toHaveLength(1);
});

/** Returns a question of a run in the store `work`. */
const asksInStore = (run: string, minute: number, more: Partial<OpenQuestion> = {}): OpenQuestion => {
  const question = asks(run, minute, more);
  return { ...question, store: "work", runId: `work/${question.runId}`, flowPath: null };
};

test("questions of shared stores are listed with the local ones, and each says its store", async () => {
  await addStore("work");
  const [a, b, c] = [asks("a", 1), asksInStore("b", 2), asks("c", 3)];
  await draw(c, b, a);
  expect(rows().map((row) => row.dataset.testid)).toEqual([a, b, c].map(rowOf));
  expect(byTestId(page, rowOf(b)).textContent).toContain("in work");
  expect(byTestId(page, rowOf(a)).textContent).not.toContain("in work");
  expect(page.host.querySelector('[data-testid="question-store"]')).toBeNull();
  await pressKey(list(), "j");
  expect(byTestId(page, "question-store").textContent).toBe("work");
});

test("answers to runs of a store are sent to the workers, several alike at once", async () => {
  await addStore("work");
  const group = [1, 2].map((n) => asksInStore(`run${n}`, n));
  const local = asks("local", 3, { flow: group[0]?.flow ?? "", flowPath: null });
  await draw(...group, local);
  // The question of this computer was read first.
  expect(current()).toBe(rowOf(local));
  await pressKey(list(), "Home");
  // A run of this computer is not alike, although its workflow and node are the same.
  expect(byTestId(page, testIds.approveAlike).textContent).toBe("Approve these 2");
  await looked();
  await pressKey(list(), "j");
  await looked();
  await pressButton(byTestId(page, testIds.approveAlike));
  expect(answers.map(({ runId, answer }) => [runId, answer.approved])).toEqual(
    group.map(({ runId }) => [runId, true]),
  );
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(local)]);
  expect(Object.keys(useRequests.getState().byRun)).toEqual([]);
});

test("an answer on which no worker has acted is not asked for again", async () => {
  await addStore("work");
  const question = asksInStore("a", 1);
  await draw(question);
  await looked();
  await pressKey(list(), "a");
  expect(answers).toHaveLength(1);
  // The worker has not acted yet, and the time for which answered questions are left out is over.
  open = [question];
  useRequests.getState().add(question.runId, {
    kind: "answer",
    path: question.path,
    approved: true,
    status: "waiting",
    seq: -1,
  });
  useWaiting.setState({ answered: new Map() });
  await act(async () => useWaiting.getState().load());
  expect(rows()).toHaveLength(0);
  // The worker acts, and the step asks no more.
  open = [];
  await act(async () => useWaiting.getState().load());
  expect(useRequests.getState().byRun).toEqual({});
});

test("a store that cannot be reached hides no other question, and is named with a remedy", async () => {
  await addStore("work");
  await addStore("gone");
  silent.set("gone", async () => {
    throw failure("silentStore", "gone");
  });
  const [a, b] = [asks("a", 1), asksInStore("b", 2)];
  await draw(a, b);
  expect(rows().map((row) => row.dataset.testid)).toEqual([a, b].map(rowOf));
  const line = byTestId(page, "out-of-reach").textContent;
  expect(line).toContain("The store gone cannot be reached.");
  expect(line).toContain("Check that its server is running");
  // The store answers again.
  silent.clear();
  await act(async () => useWaiting.getState().load());
  expect(page.host.querySelector('[data-testid="out-of-reach"]')).toBeNull();
});

test("an answered question does not appear again if its store can no longer be read", async () => {
  await addStore("work");
  const [a, b] = [asksInStore("a", 1), asksInStore("b", 2)];
  await draw(a, b);
  await looked();
  silent.set("work", async () => {
    throw failure("silentStore", "work");
  });
  await pressKey(list(), "a");
  expect(answers).toHaveLength(1);
  // The time for which answered questions are left out is over.
  useWaiting.setState({ answered: new Map() });
  useRequests.setState({ byRun: {} });
  await act(async () => useWaiting.getState().load());
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(b)]);
  expect(byTestId(page, "out-of-reach").textContent).toContain("The store work cannot be reached.");
});

test("a store that does not answer delays nothing, and its late answer is used", async () => {
  await addStore("work");
  let reads = 0;
  let answerNow: (questions: OpenQuestion[]) => void = () => undefined;
  silent.set("work", () => {
    reads += 1;
    return new Promise((done) => {
      answerNow = done;
    });
  });
  const [a, b] = [asks("a", 1), asksInStore("b", 2)];
  await draw(a);
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(a)]);
  await settle(STORE_TIMEOUT_MS + 100);
  expect(byTestId(page, "out-of-reach").textContent).toContain("It has not answered for 5 seconds.");
  // The page has refreshed the list meanwhile, but the slow store has only one request.
  expect(reads).toBe(1);
  await act(async () => answerNow([b]));
  await settle();
  expect(rows().map((row) => row.dataset.testid)).toEqual([a, b].map(rowOf));
  expect(page.host.querySelector('[data-testid="out-of-reach"]')).toBeNull();
}, 15_000);

test("the questions of a removed store disappear", async () => {
  await addStore("work");
  const [a, b] = [asks("a", 1), asksInStore("b", 2)];
  await draw(a, b);
  await api().removeStore("work");
  await act(async () => useWaiting.getState().load());
  expect(rows().map((row) => row.dataset.testid)).toEqual([rowOf(a)]);
});

test("the status bar has the number of open questions, and leads to them", async () => {
  open = [asks("a", 1), asks("b", 2)];
  useSession.setState({ view: "gallery" });
  await act(async () => page.root.render(<StatusBar />));
  expect(page.host.querySelector(`[data-testid="${testIds.openQuestions}"]`)).toBeNull();
  await act(async () => useWaiting.getState().load());
  const badge = byTestId(page, testIds.openQuestions);
  expect(badge.textContent).toBe("2 questions wait for you");
  await pressButton(badge);
  expect(useSession.getState().view).toBe("waiting");
});

test("questions are alike if workflow, node, kind and tool are the same", () => {
  const one = asks("a", 1, { path: "refine[1]/ask" });
  const same = asks("b", 2, { path: "refine[4]/ask", value: "another" });
  const others = [
    asks("c", 3, { path: "refine[1]/check" }),
    asks("d", 4, { path: "refine[1]/ask", flow: "Another" }),
    { ...CALL, path: "refine[1]/ask" },
    { ...CALL, path: "refine[1]/ask", question: { type: "allow_tool", title: "", tool: "command" } as const },
  ];
  expect(alike([one, same, ...others], one)).toEqual([one, same]);
  for (const other of others) expect(alike([one, same, ...others], other)).toEqual([other]);
});

test("after an answer, the next question is shown, otherwise the last one", () => {
  const [a, b, c] = [asks("a", 1), asks("b", 2), asks("c", 3)];
  expect(currentAfter([a, b, c], keyOf(b), [a, c])).toBe(keyOf(c));
  expect(currentAfter([a, b, c], keyOf(c), [a, b])).toBe(keyOf(b));
  expect(currentAfter([a, b], keyOf(a), [a, b, c])).toBe(keyOf(a));
  expect(currentAfter([], null, [a, b])).toBe(keyOf(a));
  expect(currentAfter([a], keyOf(a), [])).toBeNull();
});
