// At a waiting step the sheet opens by itself, shows the whole call, and accepts an edited call or a reason.
import { act } from "react";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { WaitingActions } from "../canvas/card/WaitingActions";
import { commandById } from "../commands";
import { reviewCommand } from "../commands/review";
import { editorOf } from "../components/code/editor";
import { loadCode } from "../components/code/load";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { useTools } from "../document/tools";
import { api, replaceBackend } from "../ipc/client";
import type { FlowDoc, Json, StepAnswer, StepDetail } from "../ipc/generated/bindings";
import * as recordings from "../ipc/generated/recorded/runs";
import { testBackend } from "../ipc/testing";
import { testToolRequest, waitingStep } from "../ipc/testing/tool-requests";
import { foldAll } from "../runs/fold/reduce";
import { asksAt, type Body, events, runStarted, started } from "../runs/fold/samples";
import { useRuns } from "../runs/session/store";
import { type CanvasView, mountCanvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { Announcer } from "../shell/Announcer";
import { testIds } from "../testids";
import { ApprovalSheet, ApprovalWatch } from "./ApprovalSheet";
import { closeApproval, useApprovalSheet } from "./approval-sheet";
import { asksToRepeat, toolAsked } from "./request";

const page = pageForEach();
const node = (id: string, type: string, label: string) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label },
});
const document_: FlowDoc = {
  name: "Questions",
  nodes: [node("fetch", "tool", "Fetch"), node("ask", "approval", "Ask")],
  edges: [],
};
const asksFor = (tool: Parameters<typeof waitingStep>[0]): Pick<StepDetail, "reason" | "question"> => {
  const { reason, question } = waitingStep(tool);
  return { reason, question };
};
const CALL = asksFor("http.request");
const request: Record<string, Json> = waitingStep("http.request").output;
const asked = recordings.waiting.steps.ask;
const details: Record<string, Partial<StepDetail>> = {
  fetch: { ...CALL, output: request, inputs: { input: "x" } },
  ask: {
    ...asked,
    reason: "Good enough?",
    question: { type: "approve", message: "Good enough?" },
    output: "A text.",
    inputs: { input: "A text." },
  },
};

let run = 0;
let answers: { path: string; answer: StepAnswer }[] = [];
const waitingEvent = (path: string): Body => {
  const { reason, question } = details[path] ?? {};
  return { ...asksAt(path, reason ?? ""), ...(question ? { question } : {}) };
};

/** Returns the tool that a question is about, if it names one. */
const toolOf = (question: StepDetail["question"]) => {
  const tool = toolAsked(question);
  return tool === "http.request" || tool === "command" ? tool : null;
};

/** Shows a run whose steps at `paths` wait: a new run, or more events of the same run. */
async function show(paths: readonly string[], isAnother = true): Promise<void> {
  if (isAnother) run += 1;
  const id = `r${run}`;
  const state = foldAll(
    id,
    events(id, [runStarted(), ...paths.map((path) => started(path)), ...paths.map(waitingEvent)]),
  );
  await act(async () =>
    useRuns.setState({ live: { state, document: document_, flowPath: null, live: true }, past: null }),
  );
  await settle();
}
/** Waits until the description of the call with the new arguments has arrived. */
const described = () => act(() => new Promise((done) => setTimeout(done, 180)));
/** Waits until requests have completed, the canvas is drawn, and the focus has settled. */
const settle = () =>
  act(
    () =>
      new Promise<void>((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 5))),
      ),
  );
const sheet = () => document.querySelector<HTMLElement>(`[data-testid="${testIds.approvalSheet}"]`);
const button = (id: string) => sheet()?.querySelector<HTMLButtonElement>(`[data-testid="${id}"]`);
const press = async (element: HTMLElement | null | undefined) => {
  await act(async () => element?.click());
  await settle();
};

/** Types text. Uses the native setter, because React would not notice the new value otherwise. */
async function type(field: HTMLInputElement | HTMLTextAreaElement | null | undefined, text: string) {
  if (!field) throw new Error("there is no such field");
  await act(async () => {
    const of = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(of.prototype, "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await described();
}
const labelled = (text: string) => {
  const label = [...(sheet()?.querySelectorAll("label") ?? [])].find((one) => one.textContent === text);
  return document.getElementById(label?.htmlFor ?? "") as HTMLInputElement | null;
};

/** Types text into the code field with the label. */
async function typeCode(label: string, text: string): Promise<void> {
  const field = sheet()?.querySelector<HTMLElement>(`[aria-label="${label}"]`);
  const editor = field && editorOf(field);
  if (!editor) throw new Error(`there is no code field ${label}`);
  await act(async () =>
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: "input" }),
  );
  await described();
}

beforeAll(loadCode);

beforeEach(async () => {
  answers = [];
  replaceBackend({
    ...testBackend(),
    stepDetail: async (_run, path) => {
      const detail = { ...waitingStep("http.request"), path, node_id: path, ...details[path] };
      const { question, output } = detail;
      const tool = toolOf(question);
      return {
        ...detail,
        request: tool === null ? null : testToolRequest(tool, output, asksToRepeat(question)),
      };
    },
    describeCall: async (_run, path, args) =>
      testToolRequest(toolOf(details[path]?.question ?? null) ?? "command", args),
    answerRun: async (_run, path, answer) => answers.push({ path, answer }),
  } as ReturnType<typeof api>);
  await useKinds.getState().load();
  useTools.setState({ tools: [] });
  useDocument.getState().open({ document: document_, path: null, version: null });
  useSession.setState({
    view: "editor",
    layout: "run",
    commandList: false,
    shortcuts: false,
    dragging: false,
  });
  useRuns.setState({ live: null, past: null });
  useApprovalSheet.setState({ open: null, seen: new Set() });
  await act(async () =>
    page.root.render(
      <>
        <ApprovalWatch />
        <ApprovalSheet />
      </>,
    ),
  );
});

test("it opens by itself with the tool, method, address, headers and keys of the call", async () => {
  await show(["fetch"]);
  expect(sheet()).not.toBeNull();
  const facts = [...(sheet()?.querySelectorAll('[data-testid="request-facts"] > div') ?? [])].map(
    (line) => line.textContent,
  );
  const { facts: said } = testToolRequest("http.request", request);
  expect(said.map(({ label }) => label)).toEqual(["Method", "Address", "Headers", "Keys", "Body"]);
  expect(facts).toEqual([
    "Toolhttp.request",
    ...said.map(({ label, values }) => `${label}${values.join("")}`),
  ]);
  for (const fact of ["MethodPOST", "Addresshttps://api.example.org/a", 'Body{"size":3}'])
    expect(facts).toContain(fact);
  expect(facts.find((fact) => fact?.startsWith("Keys"))).toContain("MY_TOKEN");
  expect(button("approve")?.textContent).toBe("Allow once");
});

test("it is a labelled dialog, and the focus is on a field and never on the answer that allows", async () => {
  await show(["fetch"]);
  const named = (attribute: string) =>
    document.getElementById(sheet()?.getAttribute(attribute) ?? "")?.textContent;
  expect(named("aria-labelledby")).toBe("Fetch waits for you");
  expect(named("aria-describedby")).toContain("http.request");
  expect(sheet()?.contains(document.activeElement)).toBe(true);
  expect(document.activeElement?.matches("input, textarea, [contenteditable=true]")).toBe(true);
});

test("the focus stays in the sheet when the tool's schema makes another field of the one that has it", async () => {
  await show(["fetch"]);
  expect(document.activeElement).toBe(labelled("Method"));
  const texts = Object.fromEntries(["url", "headers", "body"].map((name) => [name, { type: "string" }]));
  const properties = { ...texts, method: { type: "string", enum: ["GET", "POST"] } };
  await act(async () =>
    useTools.setState({
      tools: [
        { name: "http.request", title: "HTTP request", summary: "", args: { properties }, unavailable: null },
      ],
    }),
  );
  await settle();
  expect(sheet()?.querySelector('[data-field="method"] input')).toBeNull();
  expect(document.activeElement).toBe(labelled("Url"));
});

test("how many wait is a status, and the button to the next is no part of it", async () => {
  await show(["fetch", "ask"]);
  const status = sheet()?.querySelector('[role="status"]');
  expect(status?.textContent).toBe("1 of 2 waiting");
});

test("an edited call can be allowed once it is shown, and says why it would fail", async () => {
  await show(["fetch"]);
  let answer: (request: ReturnType<typeof testToolRequest>) => void = () => {};
  replaceBackend({
    ...api(),
    describeCall: () => new Promise((done) => (answer = done)),
  } as ReturnType<typeof api>);
  await type(labelled("Url"), "");
  expect(button("approve")?.disabled).toBe(true);
  expect(button("reject")?.disabled).toBe(false);
  const without = testToolRequest("http.request", { ...request, url: "" });
  expect(without.problem).not.toBeNull();
  await act(async () => answer(without));
  expect(sheet()?.textContent).toContain(`The call would fail: ${without.problem?.replaceAll("`", "")}`);
  expect(button("approve")?.disabled).toBe(false);
});

test("an edited argument is sent, and said in the lines above before it is", async () => {
  await show(["fetch"]);
  await type(labelled("Url"), "https://api.example.org/b");
  expect(sheet()?.querySelector('[data-testid="request-facts"]')?.textContent).toContain(
    "https://api.example.org/b",
  );
  await press(button("approve"));
  expect(answers).toEqual([
    {
      path: "fetch",
      answer: { approved: true, value: { ...request, url: "https://api.example.org/b" }, comment: null },
    },
  ]);
});

test("a call that is left as it is goes as it came; a denial takes its reason along", async () => {
  await show(["fetch"]);
  await press(button("approve"));
  expect(answers[0]?.answer).toEqual({ approved: true, value: null, comment: null });
  await show(["fetch"]);
  await type(labelled("Reason"), "Not to that host");
  await press(button("reject"));
  expect(answers[1]?.answer).toEqual({ approved: false, value: null, comment: "Not to that host" });
});

test("a call is not allowed while a field shows something else than what would be sent; it may be denied", async () => {
  const before = details.fetch;
  details.fetch = { ...before, output: { ...request, timeout: 30 } };
  await show(["fetch"]);
  await type(labelled("Timeout"), "3o");
  expect(button("approve")?.disabled).toBe(true);
  expect(sheet()?.textContent).toContain("Correct “Timeout” before");
  await type(labelled("Timeout"), "31");
  expect(button("approve")?.disabled).toBe(false);
  await typeCode("Body", '{ "size": 4');
  expect(button("approve")?.disabled).toBe(true);
  expect(sheet()?.textContent).toContain("Correct “Body” before");
  await press(button("approve"));
  expect(answers).toEqual([]);
  await press(button("reject"));
  expect(answers.map(({ answer }) => answer)).toEqual([{ approved: false, value: null, comment: null }]);
  details.fetch = before ?? {};
});

test("a value that cannot be read is not approved, and is sent back as it came", async () => {
  const before = details.ask;
  details.ask = { ...before, output: { a: 1 } };
  await show(["ask"]);
  await type(sheet()?.querySelector("textarea"), '{ "a": ');
  expect(button("approve")?.disabled).toBe(true);
  await press(button("reject"));
  expect(answers.map(({ answer }) => answer)).toEqual([{ approved: false, value: null, comment: null }]);
  details.ask = before ?? {};
});

test("a call may be allowed for the rest of the run, as it is shown", async () => {
  await show(["fetch"]);
  const buttons = [...(sheet()?.querySelectorAll(".row button") ?? [])];
  expect(buttons.map((one) => one.textContent)).toEqual(["Allow once", "Allow for this run", "Deny"]);
  expect(sheet()?.textContent).toContain("lets this node use http.request again without asking");
  await type(labelled("Url"), "https://api.example.org/b");
  await press(button("approve-run"));
  const value = { ...request, url: "https://api.example.org/b" };
  expect(answers.map(({ answer }) => answer)).toEqual([
    { approved: true, value, comment: null, scope: "run" },
  ]);
});

test("an approval is of one value, and never of a run", async () => {
  await show(["ask"]);
  expect(button("approve")?.textContent).toBe("Approve");
  expect(button("approve-run")).toBeNull();
});

test("a call that was cut off shows what it would do, unchanged, and is made again or not", async () => {
  const before = details.fetch;
  const reason = "Repeat the call?";
  details.fetch = { ...before, reason, question: { type: "repeat", title: "Fetch", tool: "http.request" } };
  await show(["fetch"]);
  expect(sheet()?.querySelector('[data-testid="request-facts"]')?.textContent).toContain(
    "https://api.example.org/a",
  );
  expect(sheet()?.querySelector('[data-field="body"]')?.textContent).toContain('"size": 3');
  expect(
    sheet()?.querySelectorAll('[data-testid="answer-request"] :is(input, textarea, .cm-editor)'),
  ).toHaveLength(0);
  expect(button("approve-run")).toBeNull();
  expect(button("reject")?.textContent).toBe("Do not repeat");
  expect(button("approve")?.textContent).toBe("Repeat the call");
  await press(button("approve"));
  expect(answers.map(({ answer }) => answer)).toEqual([{ approved: true, value: null, comment: null }]);
  details.fetch = before ?? {};
});

test("the words of a command are shown and not edited; a list of texts keeps empty ones and line breaks", async () => {
  const before = details.fetch;
  const lines = ["--message", "", "one\ntwo"];
  details.fetch = { ...asksFor("command"), inputs: {} };
  details.fetch.output = { program: "git", args: lines, stdin: "a", paths: lines };
  await show(["fetch"]);
  const form = sheet()?.querySelector('[data-testid="request-arguments"]');
  const fields = [...(form?.querySelectorAll("[data-field]") ?? [])];
  expect(fields.map((field) => field.getAttribute("data-field"))).toEqual(["stdin", "paths"]);
  expect(form?.textContent).toContain(
    "A command cannot be edited here: it runs exactly as shown. If it must change, deny the call.",
  );
  await type(form?.querySelector<HTMLTextAreaElement>('[aria-label="Paths 1"]'), "-m");
  await press(button("approve"));
  expect(answers[0]?.answer.value).toEqual({
    program: "git",
    args: lines,
    stdin: "a",
    paths: ["-m", "", "one\ntwo"],
  });
  details.fetch = before ?? {};
});

test("a step that is answered and asks once more shows what it asks then", async () => {
  await show(["fetch"]);
  await press(button("approve"));
  await show([], false);
  const again = {
    reason: "Repeat the call?",
    question: { type: "repeat", title: "Fetch", tool: null } as const,
  };
  const before = details.fetch;
  details.fetch = { ...again, output: "x", inputs: { input: "x" } };
  await show(["fetch"], false);
  expect(sheet()?.textContent).toContain("Repeat the call?");
  expect(sheet()?.querySelector('[data-testid="request-facts"]')).toBeNull();
  expect(sheet()?.querySelector("output")?.textContent).toBe("x");
  details.fetch = before ?? {};
});

test("Escape closes it and answers nothing; Waiting opens it again with what was typed", async () => {
  await show(["fetch"]);
  await type(labelled("Reason"), "later");
  await act(
    async () =>
      void document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }),
      ),
  );
  expect(sheet()).toBeNull();
  await show(["fetch"], false);
  expect(sheet()).toBeNull();
  expect(answers).toEqual([]);
  await act(async () => void reviewCommand.run());
  await settle();
  expect(labelled("Reason")?.value).toBe("later");
});

test("it waits for whoever types, opens in the run's view alone, and goes when the question does", async () => {
  const field = document.createElement("input");
  document.body.append(field);
  field.focus();
  await show(["ask"]);
  expect(sheet()).toBeNull();
  field.blur();
  await settle();
  expect(sheet()?.textContent).toContain("Good enough?");
  await show([], false);
  expect(sheet()).toBeNull();
  await act(async () => useSession.setState({ layout: "edit" }));
  await show(["ask"]);
  expect(sheet()).toBeNull();
  await act(async () => useSession.setState({ layout: "run" }));
  await settle();
  expect(sheet()).not.toBeNull();
});

test("of several it shows one after the other", async () => {
  await show(["fetch", "ask"]);
  expect(sheet()?.querySelector("footer")?.textContent).toContain("1 of 2");
  await press(sheet()?.querySelector<HTMLElement>("footer button"));
  expect(sheet()?.textContent).toContain("Ask waits for you");
  expect(button("approve")?.textContent).toBe("Approve");
  expect(button("reject")?.textContent).toBe("Send back");
});

test("a call that cannot be read is not allowed, and may be denied", async () => {
  replaceBackend({ ...api(), stepDetail: () => Promise.reject(new Error("gone")) });
  await show(["fetch"]);
  expect(sheet()?.querySelector("[role=alert]")?.textContent).toContain("could not be read");
  expect(button("reject")?.disabled).toBe(false);
  expect(button("approve")?.disabled).toBe(true);
});

test("the card of a tool call leads to the sheet instead of allowing it unseen", async () => {
  await show(["fetch"]);
  await act(async () => closeApproval());
  await act(async () =>
    page.root.render(
      <>
        <ApprovalWatch />
        <ApprovalSheet />
        <WaitingActions id="fetch" message={CALL.reason} question={CALL.question} />
      </>,
    ),
  );
  const review = page.host.querySelector<HTMLElement>(`[data-testid="${testIds.approve("fetch")}"]`);
  expect(review?.textContent).toBe("Review…");
  await press(review);
  expect(answers).toEqual([]);
  expect(sheet()).not.toBeNull();
});

test("an answer on the card leaves the keyboard to the next question, which may be there before it is accepted", async () => {
  await show(["ask"]);
  await act(async () => closeApproval());
  const focused: string[] = [];
  const unmount = mountCanvasView({ focus: (id) => void focused.push(id ?? "") } as CanvasView);
  await act(async () =>
    page.root.render(
      <>
        <ApprovalWatch />
        <ApprovalSheet />
        <WaitingActions id="ask" message={null} question={details.ask?.question ?? null} />
      </>,
    ),
  );
  const card = () => page.host.querySelector<HTMLElement>(`[data-testid="${testIds.reject("ask")}"]`);
  card()?.focus();
  let accept = () => {};
  replaceBackend({ ...api(), answerRun: () => new Promise<void>((done) => (accept = done)) } as ReturnType<
    typeof api
  >);
  await press(card());
  await show(["fetch"]);
  expect(sheet()?.contains(document.activeElement)).toBe(true);
  await act(async () => accept());
  await settle();
  expect(focused).toEqual([]);
  expect(sheet()?.contains(document.activeElement)).toBe(true);
  unmount();
});

test("it is not modal: another node can be looked at, and the question waits", async () => {
  await show(["fetch"]);
  expect(document.querySelector("dialog[open], [aria-modal=true]")).toBeNull();
  await act(async () => useSession.getState().select(["fetch"]));
  expect(sheet()).not.toBeNull();
  await act(async () => useSession.getState().select(["ask"]));
  expect(sheet()).toBeNull();
  expect(answers).toEqual([]);
  await show(["fetch"], false);
  expect(sheet()).toBeNull();
});

test("it goes with a run that is stopped while it waits", async () => {
  await show(["fetch", "ask"]);
  replaceBackend({ ...api(), stopRun: async () => null } as ReturnType<typeof api>);
  await act(() => useRuns.getState().stop());
  await settle();
  expect(useRuns.getState().live?.state).toMatchObject({ status: "cancelled", waiting: [] });
  expect(sheet()).toBeNull();
});

test("Escape on the canvas closes it too", async () => {
  await show(["fetch"]);
  await act(async () => (document.activeElement as HTMLElement).blur());
  await act(async () => void commandById("edit.backOut").run());
  expect(sheet()).toBeNull();
  expect(answers).toEqual([]);
});

test("arguments are called editable only where they are", async () => {
  await show(["fetch"]);
  expect(sheet()?.querySelector("legend")?.textContent).toBe("Arguments (editable)");
  const before = details.fetch;
  details.fetch = { ...asksFor("command"), inputs: {} };
  details.fetch.output = { program: "git", args: ["push"] };
  await show(["fetch"]);
  expect(sheet()?.textContent).toContain("A command cannot be edited here");
  expect(sheet()?.textContent).not.toContain("(editable)");
  details.fetch = before ?? {};
});

test("a screen reader is told that a node waits", async () => {
  await act(async () => page.root.render(<Announcer />));
  await show(["ask"]);
  await vi.waitFor(() =>
    expect(page.host.querySelector("[aria-live]")?.textContent).toContain("Ask waits for your answer."),
  );
});
