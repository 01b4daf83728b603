// Unattended runs, as the window shows them: a call that waits for a quota, an answer meanwhile, a question that
// expires, and the forecast of what the next run costs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { commandLine } from "../support/command-line";
import { byId, click, startRun, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { type JudgeModel, startJudgeModel } from "../support/judge-model";
import { folderUsing } from "../support/slow-model";
import { builtProgram, openWindow, remove, type Window } from "../support/window";

const letter = {
  schemaVersion: 1,
  name: "Write a letter",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "bread" }],
    ["write", "llm", { label: "Write", prompt: "Write about {{ input }}", maxTokens: 100 }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> write.prompt", "write.response -> done.value"),
};
const publish = {
  schemaVersion: 1,
  name: "Publish a text",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "The text." }],
    ["ask", "approval", { label: "Ask", message: "Publish this?", expires: "PT10S", onExpiry: "reject" }],
    ["yes", "output", { label: "Yes", name: "yes" }],
    ["no", "output", { label: "No", name: "no" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> yes.value", "ask.rejected -> no.value"),
};
const publishAndWrite = {
  schemaVersion: 1,
  name: "Publish and write",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "The text." }],
    ["ask", "approval", { label: "Ask", message: "Publish this?" }],
    ["yes", "output", { label: "Yes", name: "yes" }],
    ["write", "llm", { label: "Write", prompt: "Write about {{ input }}", maxTokens: 100 }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> ask.input",
    "ask.approved -> yes.value",
    "text.value -> write.prompt",
    "write.response -> done.value",
  ),
};

/** Whether the server refuses calls, because the quota is used up for an hour. */
let isUsedUp = true;
let model: JudgeModel;
let folder: string;
let window: Window;
beforeAll(async () => {
  model = await startJudgeModel(
    () => (isUsedUp ? { status: 429, retryAfter: 3600 } : { text: "Dear reader" }),
    1,
  );
  folder = folderUsing(model);
  const price = { provider: "openai", input: 1000, output: 1000, asOf: "2026-01-01", source: "a test" };
  const prices = ["slow", "judge"].map((name) => ({ ...price, model: name }));
  writeFileSync(path.join(folder, "data/prices.json"), JSON.stringify({ prices }));
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  remove(folder);
});

test("a call waits for its quota, and is made at once when the user says so", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "letter.flow.json", letter));
  await startRun(browser);
  const card = () => wholeText(browser, byId(testIds.node("write")));
  await browser.waitUntil(async () => /Quota until \d\d:\d\d/.test(await card()), {
    timeout: 20_000,
    timeoutMsg: "the card does not show the wait",
  });
  expect(model.asked.length).toBe(1);
  await window.pictures("quota-card");
  await click(browser, byId(testIds.viewRuns));
  await browser.waitUntil(
    async () => /Waits for .*quota until/.test(await wholeText(browser, byId(testIds.runParked))),
    { timeout: 20_000, timeoutMsg: "the list of runs does not show the wait" },
  );
  await window.pictures("quota-runs");
  await click(browser, byId(testIds.viewEdit));

  // The call is refused again, and waits again.
  await click(browser, byId(testIds.askAgain("write")));
  await expect.poll(() => model.asked.length, { timeout: 20_000 }).toBe(2);
  await browser.waitUntil(async () => /Quota until \d\d:\d\d/.test(await card()), {
    timeout: 20_000,
    timeoutMsg: "the card does not show the second wait",
  });
  expect(await wholeText(browser, '[aria-label="Inspector"]')).toMatch(/Waits for OpenAI.s quota until/);
  await window.pictures("quota-panel");
  isUsedUp = false;
  await click(browser, byId(testIds.askAgain("write")));
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.node("done")))).includes("Dear reader"),
    { timeout: 20_000, timeoutMsg: "the run does not continue" },
  );
  expect(model.asked.length).toBe(3);
});

test("a question is answered while another step waits for its quota", async () => {
  const { browser } = window;
  isUsedUp = true;
  await openFile(window, writeFlow(window, "both.flow.json", publishAndWrite));
  await startRun(browser);
  const card = (id: string) => wholeText(browser, byId(testIds.node(id)));
  await browser.waitUntil(async () => /Quota until/.test(await card("write")), {
    timeout: 20_000,
    timeoutMsg: "the call does not wait",
  });
  await window.pictures("question-during-a-wait");
  await click(browser, byId(testIds.approve("ask")));
  await browser.waitUntil(async () => (await card("yes")).includes("The text."), {
    timeout: 20_000,
    timeoutMsg: "the answer has no effect while another step waits",
  });
  expect(await card("write")).toMatch(/Quota until/);
  await window.pictures("answered-during-a-wait");
  isUsedUp = false;
  await click(browser, byId(testIds.askAgain("write")));
  await browser.waitUntil(async () => (await card("done")).includes("Dear reader"), {
    timeout: 20_000,
    timeoutMsg: "the run does not continue",
  });
});

test("a question says when it expires, and the run continues then", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "publish.flow.json", publish));
  await startRun(browser);
  await browser.waitUntil(
    async () => (await wholeText(browser, "body")).includes("then counts as rejected"),
    { timeout: 20_000, timeoutMsg: "the question does not say when it expires" },
  );
  await window.pictures("question-expires");
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.node("no")))).includes("The text."),
    { timeout: 30_000, timeoutMsg: "the run does not continue" },
  );
});

test("after five runs, the cost of the next one is forecast", async () => {
  const { browser } = window;
  const { env } = commandLine(folder);
  // The first run of the file was in the window, and four follow.
  const file = path.join(folder, "flows", "letter.flow.json");
  for (let run = 0; run < 4; run += 1) {
    // The model of this process answers meanwhile.
    const [status] = await once(
      spawn(builtProgram("loopwright"), ["run", file], { env, stdio: "ignore" }),
      "exit",
    );
    expect(status).toBe(0);
  }
  await openFile(window, file);
  const bound = () => wholeText(browser, byId(testIds.callEstimate));
  await browser.waitUntil(async () => (await bound()).includes("likely"), {
    timeout: 20_000,
    timeoutMsg: "the cost is not forecast",
  });
  await click(browser, byId(testIds.callEstimate));
  const forecast = await wholeText(browser, byId(testIds.costForecast));
  expect(forecast).toContain("From 5 recorded runs of this workflow");
  await window.pictures("cost-forecast");
});
