// Runs on PostgreSQL, led by a worker: the window names the store, follows a batch to its end, opens, scrubs
// and forks one of its runs, and asks a worker to stop one. Two windows show the same question: one answer is
// accepted, and the other window says so. The page Waiting answers a question of a run in the store.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  deselect,
  fill,
  outputOf,
  runEnds,
  selectNode,
  textOf,
  wholeText,
} from "../support/editor";
import { row, wires } from "../support/flows";
import { postgresPrograms, type SharedStore, startStore, type Worker } from "../support/postgres";
import { openWindow, remove, type Window } from "../support/window";

const programs = postgresPrograms();
if (programs === null) console.error("NOT TESTED: this machine has no PostgreSQL server.");

const grow = {
  schemaVersion: 1,
  name: "Grow",
  nodes: row(
    ["text", "input", { label: "Text", name: "text" }],
    ["refine", "loop", { label: "Refine", maxIterations: 3 }],
    ["add", "transform", { label: "Add", template: "{{ input }}x" }],
    ["exit", "exit", { label: "Exit" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> refine.input",
    "refine.body -> add.input",
    "add.output -> exit.input",
    "exit.output -> done.value",
  ),
};

const asking = {
  schemaVersion: 1,
  name: "Asking",
  nodes: row(
    ["text", "input", { label: "Text", name: "text" }],
    ["ask", "approval", { label: "Ask", message: "Publish it?" }],
    ["yes", "output", { label: "Yes", name: "yes" }],
    ["no", "output", { label: "No", name: "no" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> yes.value", "ask.rejected -> no.value"),
};

let store: SharedStore;
let worker: Worker;
let folder: string;
let window: Window;

/** Submits a flow with one run for each text. */
function submit(flow: { name: string }, batch: string, texts: string[]): void {
  const file = path.join(folder, `${flow.name}.flow.json`);
  const inputs = path.join(folder, `${batch}.jsonl`);
  writeFileSync(file, JSON.stringify(flow));
  writeFileSync(inputs, texts.map((text) => `${JSON.stringify({ text })}\n`).join(""));
  store.loopwright("submit", file, "--store", store.url, "--inputs", inputs, "--batch", batch);
}

async function expectText({ browser }: Window, selector: string, words: string | RegExp): Promise<void> {
  const holds = (found: string) => (typeof words === "string" ? found.includes(words) : words.test(found));
  await browser.waitUntil(
    async () => {
      const found = await browser.execute((s) => document.querySelector(s)?.textContent ?? "", selector);
      return holds(found);
    },
    { timeout: 60_000, interval: 100, timeoutMsg: `${selector} does not say “${words}”` },
  );
}

const where = '[aria-label^="Where: "]';

/** Shows the runs of the store in the history. */
async function showStore(shown: Window): Promise<void> {
  const { browser } = shown;
  await browser.keys(["Control", "Shift", "r"]);
  await click(browser, where);
  const entry = browser.$('[role="menu"]').$("button*=work");
  await entry.waitForClickable({ timeout: 10_000, timeoutMsg: "the store is no place to choose" });
  await entry.click();
  await expectText(shown, where, "work");
}

/**
 * The selector of the run status next to the canvas. The hidden history, which is still in the page, also has
 * one.
 */
const runStatus = `[aria-label="Inspector"] ${byId("run-status")}`;
/** The selector of the history's left column. */
const COLUMN = '[data-region="runs"]';
const newestRun = '[data-testid^="run-row-work/"]';

/** Opens the newest run of one of the store's flows on the canvas. */
async function openNewest(shown: Window, flow: string): Promise<void> {
  const { browser } = shown;
  await choose(browser, "Runs or batches", "Runs");
  await fill(browser, byId("run-search"), flow);
  await expectText(shown, `${COLUMN} [aria-live="polite"]`, /^[1-9]\d* run/);
  await expectText(shown, newestRun, flow);
  await click(browser, newestRun);
  await click(browser, byId("open-on-canvas"));
  // A question replaces the run's panel.
  const either = `${runStatus}, ${byId(testIds.approvalSheet)}`;
  await browser.$(either).waitForDisplayed({ timeout: 20_000 });
}

describe.skipIf(programs === null)("a shared store", () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
    store = await startStore(programs ?? "");
    worker = store.startWorker("first");
    window = await openWindow({ display: inject("display") });
  });
  afterAll(async () => {
    await window?.close();
    worker?.thaw();
    await store?.stop();
    if (folder) remove(folder);
  });

  test("is named, and a check says who serves it", async () => {
    const { browser } = window;
    await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
    await browser.keys(["Control", ","]);
    await click(browser, byId("settings-stores"));
    await click(browser, byId("add-store"));
    await fill(browser, byId("new-store-name"), "work");
    await fill(browser, byId("new-store-address"), "db.example.org");
    await click(browser, byId("new-store-save"));
    await expectText(window, "#new-store-address-error", "must begin with postgres://");
    await fill(browser, byId("new-store-address"), store.url);
    await click(browser, byId("new-store-save"));
    await expectText(window, byId("store-row-work"), store.url);
    await click(browser, '[aria-label="Show work"]');
    await click(browser, byId("check-work"));
    await expectText(window, byId("workers-work"), "first 0 of 32 places taken");
    await window.picture("stores-settings");
  });

  test("has a batch of five runs, and is followed until the batch ends", async () => {
    const { browser } = window;
    await showStore(window);
    await expectText(window, COLUMN, "No runs yet");
    await choose(browser, "Runs or batches", "Batches");
    await expectText(window, COLUMN, "No batches yet");
    submit(grow, "letters", ["a", "b", "c", "d", "e"]);
    const batch = byId(testIds.batchRow("letters"));
    await expectText(window, batch, "5 done");
    await click(browser, `${batch} button`);
    await expectText(window, byId("batch-panel"), "5 done");
    const listed = '[data-testid^="batch-run-"]';
    await browser.waitUntil(async () => (await browser.$$(listed).length) === 5, {
      timeout: 10_000,
      timeoutMsg: "the runs of the batch are not listed",
    });
    await window.picture("stores-batches");
  });

  test("a run of the batch opens on the canvas, and its iterations can be shown", async () => {
    const { browser } = window;
    await click(browser, '[data-testid^="batch-run-"]');
    await browser.$(runStatus).waitForDisplayed({ timeout: 20_000 });
    await deselect(browser);
    expect(await runEnds(browser)).toBe("done");
    expect(await textOf(browser, byId("run-place"))).toBe("work");
    await selectNode(browser, "add");
    const first = await outputOf(browser, 1);
    expect(first).toMatch(/^[a-e]x$/);
    expect(await outputOf(browser, 3)).toBe(`${first}xx`);
    await window.picture("stores-run");
  });

  test("a fork of that run is led by the worker", async () => {
    const { browser } = window;
    await selectNode(browser, "add");
    await click(browser, byId(testIds.iterationPip(2)));
    await click(browser, byId("fork-from-here"));
    await browser.$(byId("fork-costs")).waitForDisplayed({ timeout: 15_000 });
    await fill(browser, byId("fork-value"), "forked");
    await click(browser, byId("fork-run"));
    await browser.$(byId("fork")).waitForExist({ reverse: true, timeout: 15_000 });
    await deselect(browser);
    await expectText(window, byId("run-output-done"), "forkedx");
    expect(await runEnds(browser)).toBe("done");
    expect(await textOf(browser, byId("run-place"))).toBe("work");
  });

  test("a run that no worker has started is queued, and shows a requested stop until a worker stops it", async () => {
    const { browser } = window;
    worker.freeze();
    try {
      submit({ ...grow, name: "Held" }, "held", ["a"]);
      await showStore(window);
      await openNewest(window, "Held");
      expect(await textOf(browser, byId("run-state"))).toBe("Queued");
      await click(browser, byId(testIds.stopButton));
      await expectText(window, byId(testIds.stopButton), "Asked to stop…");
    } finally {
      worker.thaw();
    }
    // The state is redrawn meanwhile, so an element that was found before may be gone.
    await expectText(window, runStatus, /^stopped$/);
  });

  test("two windows show the same question: the first answer counts, and the other window says that it is already answered", async () => {
    const others = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
    mkdirSync(path.join(others, "data"));
    const settings = { stores: [{ name: "work", url: store.url }] };
    writeFileSync(path.join(others, "data", "settings.json"), JSON.stringify(settings));
    const other = await openWindow({ display: inject("display"), folder: others });
    try {
      await other.browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
      submit(asking, "asked", ["a letter"]);
      for (const one of [window, other]) {
        await showStore(one);
        await openNewest(one, "Asking");
        // The sheet opens by itself.
        await one.browser.$(byId(testIds.approvalSheet)).waitForDisplayed({ timeout: 20_000 });
      }
      // Both answers are sent before the worker acts on either.
      worker.freeze();
      try {
        await click(window.browser, byId("approve"));
        await expectText(window, byId("approve"), "Answer sent…");
        await click(other.browser, byId("reject"));
        await expectText(other, `${byId(testIds.approvalSheet)} [role="alert"]`, "has already been answered");
      } finally {
        worker.thaw();
      }
      await expectText(other, byId(testIds.toasts), "The question is already answered");
      for (const one of [window, other]) {
        await deselect(one.browser);
        await expectText(one, byId("run-output-yes"), "a letter");
        expect(await runEnds(one.browser)).toBe("done");
      }
      expect(await wholeText(window.browser, "body")).not.toContain("The question is already answered");
    } finally {
      await other.close();
      remove(others);
    }
  });

  test("the page Waiting lists a question of a run in the store, and an answer by key reaches the worker", async () => {
    const { browser } = window;
    submit(asking, "waiting", ["another letter"]);
    const rows = () => browser.$$(`${byId(testIds.questionList)} [role="option"]`);
    await browser.keys(["Control", "Shift", "a"]);
    await browser.waitUntil(async () => (await rows().length) === 1, {
      timeout: 30_000,
      timeoutMsg: "the question of the run in the store is not listed",
    });
    await expectText(window, byId(testIds.questionList), /Asking, in work.*another letter/s);
    expect(await textOf(browser, byId("question-store"))).toBe("work");
    await window.picture("stores-waiting");
    // A key answers a question only after it was shown for a moment.
    await browser.waitUntil(
      () => browser.execute(() => document.querySelector('[role="option"] .sr-only') === null),
      { timeout: 10_000, timeoutMsg: "the shown question is not marked as seen" },
    );
    await browser.keys("a");
    await browser.waitUntil(
      async () => (await wholeText(browser, "body")).includes("Nothing is waiting for you"),
      {
        timeout: 20_000,
        timeoutMsg: "the question is still listed",
      },
    );
    await browser.waitUntil(
      () => {
        const shown = store.loopwright("batches", "--store", store.url, "show", "waiting", "--json");
        return (JSON.parse(shown) as { completed: number }).completed === 1;
      },
      { timeout: 20_000, interval: 500, timeoutMsg: "the worker does not continue the run" },
    );
  });

  test("a store that does not answer is shown as one line, and the runs of this computer stay available", async () => {
    const { browser } = window;
    await showStore(window);
    await store.stop();
    await expectText(window, byId("out-of-reach"), "The store work cannot be reached.");
    expect(await browser.$$(byId("out-of-reach")).length).toBe(1);
    expect(await browser.$$(byId(testIds.toast)).length).toBe(0);
    await window.picture("stores-out-of-reach");
    await click(browser, where);
    await browser.$('[role="menu"]').$("button*=This computer").click();
    await browser.$(byId("out-of-reach")).waitForExist({ reverse: true, timeout: 10_000 });
    // The page Waiting names the store, too.
    await browser.keys(["Control", "Shift", "a"]);
    await expectText(window, byId("out-of-reach"), "The store work cannot be reached.");
    await expectText(window, '[aria-label="Open questions"]', "Nothing is waiting for you");
    await window.picture("stores-waiting-out-of-reach");
  });
});
