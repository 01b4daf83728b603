// Several runs have waited: the status bar leads to their questions, and the user answers one by its key, two
// that are alike together, and denies the rest. The runs continue without a tab.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { type CommandLine, commandLine } from "../support/command-line";
import { byId, click, textOf, wholeText } from "../support/editor";
import { row, wires } from "../support/flows";
import { isSound } from "../support/sound";
import { openWindow, remove, type Window } from "../support/window";

let folder: string;
let window: Window;
let loopwright: CommandLine;

const publish = {
  schemaVersion: 1,
  name: "Publish a text",
  nodes: row(
    ["text", "input", { label: "Text", name: "text" }],
    ["ask", "approval", { label: "Ask", message: "Publish this?" }],
    ["yes", "output", { label: "Yes", name: "yes" }],
    ["no", "output", { label: "No", name: "no" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> yes.value", "ask.rejected -> no.value"),
};
const items = {
  schemaVersion: 1,
  name: "Check items",
  nodes: row(
    ["text", "input", { label: "Items", name: "items", default: ["a", "b", "c"], dataType: "json" }],
    ["each", "iterator", { label: "Each", concurrency: 3 }],
    ["ask", "approval", { label: "Ask", message: "Is {{ input }} right?" }],
    ["gather", "aggregator", { label: "Gather" }],
    ["done", "output", { label: "Done", name: "done", format: "json" }],
  ),
  edges: wires(
    "text.value -> each.items",
    "each.item -> ask.input",
    "ask.approved -> gather.input",
    "gather.results -> done.value",
  ),
};
const look = () => ({
  schemaVersion: 1,
  name: "Look around",
  nodes: row(
    ["look", "tool", { label: "Look", tool: "files.glob", args: { folder, pattern: "*" }, approval: "ask" }],
    ["found", "output", { label: "Found", name: "found", format: "json" }],
  ),
  edges: wires("look.output -> found.value"),
});

/** Runs a flow on the command line until it waits. */
function runUntilItWaits(flow: { name: string }, ...args: string[]): void {
  const file = path.join(folder, `${flow.name}.flow.json`);
  writeFileSync(file, JSON.stringify(flow));
  const run = loopwright.run("run", file, ...args);
  if (run.status !== 5) throw new Error(`the run does not wait: ${run.status} ${run.stderr}`);
}

/** Returns the status of each run, newest first. */
const statuses = (): string[] => loopwright.runs().map(({ status }) => status);

const rows = () => window.browser.$$(`${byId(testIds.questionList)} [role="option"]`);

/** Waits until this many questions are listed. */
async function expectRows(count: number): Promise<void> {
  await window.browser.waitUntil(async () => (await rows().length) === count, {
    timeout: 20_000,
    timeoutMsg: `not ${count} questions are listed`,
  });
}

/** Waits until the shown question is marked as seen. */
async function expectLooked(): Promise<void> {
  await window.browser.waitUntil(
    () =>
      window.browser.execute(
        () => document.querySelector('[role="option"][aria-selected="true"] .sr-only') === null,
      ),
    { timeout: 10_000, timeoutMsg: "the shown question is not marked as seen" },
  );
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  mkdirSync(path.join(folder, "data"));
  loopwright = commandLine(folder);
  for (const text of ["The first text.", "The second text.", "The third text."])
    runUntilItWaits(publish, "--input", `text=${text}`);
  for (let i = 0; i < 2; i++) runUntilItWaits(look(), "--allow", `read:${folder}`);
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

test("the status bar leads to the questions of all runs, oldest first", async () => {
  const { browser } = window;
  const badge = browser.$(byId(testIds.openQuestions));
  await badge.waitForDisplayed({ timeout: 20_000, timeoutMsg: "the status bar has no number" });
  expect(await badge.getText()).toBe("5 questions wait for you");
  await window.pictures("waiting-badge");
  await click(browser, byId(testIds.openQuestions));
  await expectRows(5);
  const texts = await rows().map((one) => one.getText());
  expect(texts.map((text) => /(first|second|third) text|files\.glob/.exec(text)?.[0])).toEqual([
    "first text",
    "second text",
    "third text",
    "files.glob",
    "files.glob",
  ]);
  await expectLooked();
  await window.pictures("waiting-page");
  await isSound(browser, "open questions");
});

test("a key opens the run at the step that asks, and another one leads back", async () => {
  const { browser } = window;
  await browser.keys("o");
  const node = browser.$('.react-flow__node.selected[data-id="ask"]');
  await node.waitForDisplayed({ timeout: 15_000, timeoutMsg: "the step that asks is not shown" });
  await browser.$(byId(testIds.approvalSheet)).waitForDisplayed({ timeout: 15_000 });
  await browser.keys(["Control", "Shift", "a"]);
  await expectRows(5);
  await expectLooked();
});

test("a key answers the shown question, and its run continues without a tab", async () => {
  const { browser } = window;
  await browser.keys("a");
  await expectRows(4);
  await browser.waitUntil(async () => statuses().at(-1) === "completed", {
    timeout: 20_000,
    timeoutMsg: "the run does not continue",
  });
  expect(await browser.$(byId(testIds.questionDetail)).isDisplayed()).toBe(true);
});

test("two that are alike are approved together, after a look at each", async () => {
  const { browser } = window;
  const together = browser.$(byId(testIds.approveAlike));
  await expectLooked();
  expect(await together.getText()).toBe("Approve these 2");
  expect(await together.isEnabled()).toBe(false);
  await browser.keys("j");
  await expectLooked();
  await together.waitForEnabled({ timeoutMsg: "they cannot be approved together" });
  await window.pictures("waiting-alike");
  await click(browser, byId(testIds.approveAlike));
  await expectRows(2);
});

test("a tool call shows its facts, and the rest is denied after a confirmation", async () => {
  const { browser } = window;
  expect(await textOf(browser, `${byId(testIds.questionDetail)} ${byId("request-facts")}`)).toContain(folder);
  await window.pictures("waiting-call");
  await isSound(browser, "a question about a tool");
  await click(browser, byId(testIds.denyRest));
  const dialog = browser.$("dialog[open]");
  await dialog.waitForDisplayed();
  expect(await dialog.getText()).toContain("Deny 2 open questions?");
  await window.pictures("waiting-deny");
  await dialog.$("button=Deny 2").click();
  await browser.waitUntil(
    async () => (await wholeText(browser, "body")).includes("Nothing is waiting for you"),
    {
      timeout: 20_000,
      timeoutMsg: "questions are still listed",
    },
  );
  await browser.waitUntil(async () => !statuses().some((status) => /waiting|running/.test(status)), {
    timeout: 20_000,
    timeoutMsg: "a run still waits",
  });
  // A call that is denied fails its node.
  expect(statuses()).toEqual(["failed", "failed", "completed", "completed", "completed"]);
  await window.pictures("waiting-nothing");
  await isSound(browser, "no open question");
});

test("several questions of one run are answered together, although the run continues after each", async () => {
  const { browser } = window;
  runUntilItWaits(items);
  await expectRows(3);
  for (let i = 0; i < 3; i++) {
    await expectLooked();
    await browser.keys("j");
  }
  await click(browser, byId(testIds.approveAlike));
  await browser.waitUntil(async () => statuses()[0] === "completed", {
    timeout: 20_000,
    timeoutMsg: "the run does not complete",
  });
  await browser.waitUntil(
    async () => (await wholeText(browser, "body")).includes("Nothing is waiting for you"),
    {
      timeout: 20_000,
      timeoutMsg: "questions are still listed",
    },
  );
});
