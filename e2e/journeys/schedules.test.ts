// Schedules that are added on the command line and fired as their timers do it: the window shows their runs
// with the schedule's name and costs, a changed flow does not run, and a scheduled run that waits is answered
// in the window.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { type CommandLine, commandLine } from "../support/command-line";
import { type Desktop, startDesktop } from "../support/desktop";
import { byId, choose, click, wholeText } from "../support/editor";
import { row, wires } from "../support/flows";
import { type JudgeModel, startJudgeModel } from "../support/judge-model";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

const letter = (prompt: string) => ({
  name: "Write a letter",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "bread" }],
    ["write", "llm", { label: "Write", prompt: `${prompt} {{ input }}`, maxTokens: 100 }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> write.prompt", "write.response -> done.value"),
});
const publish = {
  name: "Publish a text",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "The text." }],
    ["ask", "approval", { label: "Ask", message: "Publish this?" }],
    ["yes", "output", { label: "Yes", name: "yes" }],
    ["no", "output", { label: "No", name: "no" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> yes.value", "ask.rejected -> no.value"),
};

interface Firing {
  result: "started" | "failed_to_start" | "missed";
  status?: string;
  reason?: string;
  count?: number;
}

let desktop: Desktop;
let model: JudgeModel;
let window: Window;
let folder: string;
let loopwright: CommandLine;
beforeAll(async () => {
  desktop = await startDesktop();
  model = await startJudgeModel([{ text: "Dear reader" }], 1);
  folder = folderUsing(model);
  const price = { provider: "openai", input: 1000, output: 1000, asOf: "2026-01-01", source: "a test" };
  const prices = ["slow", "judge"].map((name) => ({ ...price, model: name }));
  writeFileSync(path.join(folder, "data/prices.json"), JSON.stringify({ prices }));
  // No service manager of the user runs here. This program stands in for it.
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(folder, "bin/systemctl"), '#!/bin/sh\necho "$@" >> "$HOME/systemctl.log"\n', {
    mode: 0o755,
  });
  const PATH = `${path.join(folder, "bin")}:${process.env.PATH}`;
  loopwright = commandLine(folder, { PATH, ...desktop.env });
  write("letter", letter("Write about"));
  write("publish", publish);
  window = await openWindow({ display: inject("display"), folder, env: desktop.env });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  desktop?.stop();
  remove(folder);
});

function write(name: string, flow: object): void {
  const text = JSON.stringify({ schemaVersion: 1, ...flow });
  writeFileSync(path.join(folder, `${name}.flow.json`), text);
}

function add(name: string, flow: string, ...options: string[]): void {
  const { status, stderr } = loopwright.run("schedule", "add", name, `${flow}.flow.json`, ...options);
  expect(status, stderr).toBe(0);
}

/** Fires a schedule as its timer does: with the command in its service. Returns the exit status. */
async function fire(name: string): Promise<number | null> {
  const file = path.join(folder, `config/systemd/user/loopwright-schedule-${name}.service`);
  const command = /^ExecStart=:(.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (command === undefined) throw new Error(`${file} has no command`);
  // The service manager knows no variables of Loopwright.
  const { LOOPWRIGHT_DATA_DIR: _, ...env } = loopwright.env;
  // The model of this process answers meanwhile.
  const [status] = await once(spawn("sh", ["-c", command], { env, stdio: "ignore" }), "exit");
  return status;
}

/** Returns the firings of a schedule, newest first. */
const firings = (name: string) => loopwright.json<{ firings: Firing[] }>("schedule", "show", name).firings;

const runRows = () => window.browser.$$('[role="option"][data-testid^="run-row-"]');

/** Waits until the history lists this number of runs. */
async function expectRuns(count: number): Promise<void> {
  await window.browser.waitUntil(async () => (await runRows().length) === count, {
    timeout: 20_000,
    timeoutMsg: `the history does not list ${count} runs`,
  });
}

async function expectBody(words: string): Promise<void> {
  await window.browser.waitUntil(async () => (await wholeText(window.browser, "body")).includes(words), {
    timeout: 20_000,
    timeoutMsg: `the window does not say “${words}”`,
  });
}

async function expectPanel(words: string): Promise<void> {
  const panel = byId(testIds.schedulePanel);
  await window.browser.waitUntil(async () => (await wholeText(window.browser, panel)).includes(words), {
    timeout: 20_000,
    timeoutMsg: `the schedule does not say “${words}”`,
  });
}

test("a run of a schedule appears in the history with the name of the schedule", async () => {
  const { browser } = window;
  add("nightly", "letter", "--at", "02:00", "--budget-usd", "5", "--notify");
  expect(readFileSync(path.join(folder, "systemctl.log"), "utf8")).toContain(
    "--user enable --now loopwright-schedule-nightly.timer",
  );
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
  await browser.keys(["Control", "Shift", "r"]);
  await expectBody("Runs");
  expect(await fire("nightly")).toBe(0);
  await expectRuns(1);
  await runRows()[0]?.click();
  await expectBody("started by the schedule “nightly”");
  expect(await wholeText(browser, '[role="option"]')).toContain("nightly");
  await window.pictures("schedule-run");
});

test("its costs are those of the schedule", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewCosts));
  await choose(browser, "Group by", "Schedule");
  const table = browser.$(byId(testIds.costsLines));
  await browser.waitUntil(async () => (await table.getText()).includes("nightly"), {
    timeout: 15_000,
    timeoutMsg: "the schedule has no costs",
  });
  const cells = await table.$$("tbody > tr > *").map((cell) => cell.getText());
  // One call of 10 + 10 tokens, at $1,000 for a million.
  expect(cells).toEqual(["nightly", "1", "10", "10", "$0.02"]);
  await window.pictures("schedule-costs");
});

test("a changed flow does not run until it is approved, and the user is notified", async () => {
  const { browser } = window;
  write("letter", letter("Write a poem about"));
  const calls = model.asked.length;
  expect(await fire("nightly")).toBe(2);
  expect(model.asked.length).toBe(calls);
  expect(firings("nightly")[0]).toMatchObject({
    result: "failed_to_start",
    reason: expect.stringContaining("has changed since it was approved"),
  });
  expect(await desktop.asked("did not start")).toContain("The schedule nightly did not start");
  await browser.keys(["Control", "Shift", "r"]);
  await expectRuns(1);
  // The history says that the schedule did not start a run, and why.
  const failed = browser.$(byId(testIds.scheduleFailed));
  await failed.waitForDisplayed({ timeout: 20_000, timeoutMsg: "the failure is not reported" });
  expect(await failed.getText()).toContain("The schedule nightly could not start a run");
  await window.pictures("schedule-failed");
  await click(browser, '//button[.="Show why"]');
  await expectPanel("has changed since it was approved");
  await window.pictures("schedule-firings");
  expect(loopwright.run("schedule", "approve", "nightly").status).toBe(0);
  expect(await fire("nightly")).toBe(0);
  await click(browser, '//button[.="Runs"][@role="radio"]');
  await expectRuns(2);
  await failed.waitForExist({ reverse: true, timeout: 20_000, timeoutMsg: "the failure is still reported" });
  expect(model.asked.at(-1)).toContain("Write a poem about");
});

test("times that were missed run once, and the others are in the history of the schedule", async () => {
  add("hourly", "letter", "--every", "PT1H");
  const file = path.join(folder, "data/schedules/hourly.json");
  const schedule = JSON.parse(readFileSync(file, "utf8")) as { createdAt: number };
  // It was added four hours ago, and the computer has been off since.
  writeFileSync(file, JSON.stringify({ ...schedule, createdAt: schedule.createdAt - 4 * 3_600_000 }));
  expect(await fire("hourly")).toBe(0);
  await expectRuns(3);
  expect(firings("hourly")).toMatchObject([
    { result: "started", status: "completed" },
    { result: "missed", count: 3, reason: expect.stringContaining("the computer was off") },
  ]);
  const { browser } = window;
  await click(browser, '//button[.="Schedules"][@role="radio"]');
  await click(browser, byId(testIds.scheduleRow("hourly")));
  await expectPanel("Missed 3 times");
  await window.pictures("schedule-missed");
  await click(browser, '//button[.="Show the run"]');
  await expectBody("started by the schedule “hourly”");
});

test("a scheduled run that waits is answered with a key, and ends", async () => {
  const { browser } = window;
  add("weekly", "publish", "--cron", "0 2 * * 1");
  await browser.keys(["Control", "Shift", "a"]);
  await expectBody("Nothing is waiting for you");
  // A run that waits for a person has not failed. The service accepts this status.
  expect(await fire("weekly")).toBe(5);
  const question = browser.$(`${byId(testIds.questionList)} [role="option"]`);
  await question.waitForDisplayed({ timeout: 20_000, timeoutMsg: "the question is not listed" });
  expect(await question.getText()).toContain("Publish a text, schedule “weekly”");
  await browser.waitUntil(async () => !(await question.$(".sr-only").isExisting()), {
    timeout: 10_000,
    timeoutMsg: "the shown question is not marked as seen",
  });
  await window.pictures("schedule-waits");
  expect(firings("weekly")[0]).toMatchObject({ result: "started", status: "waiting" });
  await browser.keys("a");
  await expectBody("Nothing is waiting for you");
  await expect.poll(() => firings("weekly")[0]?.status, { timeout: 20_000, interval: 200 }).toBe("completed");
});
