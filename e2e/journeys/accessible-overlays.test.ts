// What axe and the computed colours say of what lies over the pages or is there for a while: sheets, menus, dialogs, a run on its way, a
// comparison, the results of an evaluation.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  closeApproval,
  deselect,
  flowIsOpen,
  openTemplate,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { chooseOptionAt } from "../support/list";
import { isSound } from "../support/sound";
import { openWindow, root, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

beforeEach(async () => {
  const { browser } = window;
  await browser.$(`${byId("template-blank")}, .topbar`).waitForExist({ timeout: 20_000 });
  await browser.keys(["Control", "Shift", "h"]);
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
});

/** A step that takes longer than it is looked at, a question, and a call of a tool. */
const busy = {
  name: "Busy",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "a" }],
    ["wait", "tool", { label: "Wait", tool: "command", args: { program: "sleep", args: ["600"] } }],
    ["ask", "approval", { label: "Ask", message: "Good enough?" }],
    [
      "post",
      "tool",
      {
        label: "Post",
        tool: "http.request",
        approval: "ask",
        args: { method: "POST", url: "http://127.0.0.1:9/notes", body: { note: "{{ input }}" } },
      },
    ],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> wait.input",
    "text.value -> ask.input",
    "text.value -> post.input",
    "post.result -> done.value",
  ),
};

test("a run on its way: what it may use, its sheets, its cards, its log", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "busy.flow.json", busy));
  await click(browser, byId(testIds.runButton));
  await browser.$(byId(testIds.trustDialog)).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "what the flow may use");
  await click(browser, byId(testIds.trustAllow));
  const sheet = byId(testIds.approvalSheet);
  for (const title of ["Ask", "Post"]) {
    const words = `${title} waits for you`;
    await browser.waitUntil(async () => (await browser.$(`${sheet} h2`).getText()) === words, {
      timeout: 20_000,
      timeoutMsg: `there is no sheet “${words}”`,
    });
    await isSound(browser, `sheet: ${words}`);
    await click(browser, `${sheet} footer button`);
  }
  await closeApproval(browser);
  await isSound(browser, "running and waiting");
  await selectNode(browser, "post");
  await isSound(browser, "a call that waits, in the panel");
  await click(browser, "button=Log");
  await isSound(browser, "log");
  await click(browser, byId(testIds.stopButton));
  await browser.$(byId(testIds.runButton)).waitForDisplayed({ timeout: 20_000 });
  await isSound(browser, "a run that was stopped");
});

test("menus, lists and panels over the editor, and a question", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await click(browser, ".topbar .file");
  await browser.$('[role="menu"]').waitForDisplayed();
  await isSound(browser, "file menu");
  await browser.keys("Escape");
  await click(browser, ".provider-chip");
  await browser.$('[role="menu"], .select-popup').waitForDisplayed();
  await isSound(browser, "models");
  await browser.keys("Escape");
  await selectNode(browser, "draft");
  await browser.$(`${byId(testIds.node("draft"))} header`).click({ button: "right" });
  await browser.$(byId(testIds.canvasMenu)).waitForDisplayed();
  await isSound(browser, "menu of a node");
  await browser.keys("Escape");
  await browser.keys("b");
  await deselect(browser);
  await isSound(browser, "a bypassed node");
  await selectNode(browser, "draft");
  await browser.keys("a");
  await browser.$(byId(testIds.quickAdd)).waitForDisplayed();
  await isSound(browser, "what follows a node");
  await browser.keys("Escape");
  await browser.keys(["Control", "h"]);
  await browser.$(byId(testIds.findPanel)).waitForDisplayed();
  for (const letter of "the") await browser.keys(letter);
  await isSound(browser, "find and replace");
  await browser.keys("Escape");
  await browser.keys(["Control", "Alt", "z"]);
  await browser.$(byId(testIds.historyPanel)).waitForDisplayed();
  await isSound(browser, "edits");
  await browser.keys("Escape");
  await browser.keys(["Control", "w"]);
  await browser.$("dialog[open]").waitForDisplayed();
  await isSound(browser, "a question about unsaved changes");
  await browser.keys("Escape");
  await browser.$("dialog[open]").waitForExist({ reverse: true });
});

test("an import with its report", async () => {
  const { browser } = window;
  const imports = path.join(root, "src-tauri/crates/api/tests/imports");
  await openFile(window, path.join(imports, "containers/review_loop.yaml"));
  await browser.$(byId("import-report")).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "import report");
});

test("two runs compared; the timeline of one of them, forked", async () => {
  const { browser } = window;
  for (let i = 0; i < 2; i++) {
    await browser.keys(["Control", "Shift", "h"]);
    await openTemplate(browser, "self-refine");
    await startRun(browser);
    expect(await runEnds(browser)).toBe("done");
  }
  await selectNode(browser, "draft");
  await isSound(browser, "timeline");
  await click(browser, byId(testIds.iterationPip(2)));
  await click(browser, byId("fork-from-here"));
  await browser.$(byId("fork-costs")).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "fork");
  await browser.keys("Escape");
  await browser.keys(["Control", "Shift", "r"]);
  await click(browser, '[data-testid^="run-row-"]');
  // The run that was shown before has such a list as well, and goes.
  await browser.pause(500);
  await chooseOptionAt(browser, byId("compare-with"), 1);
  await browser.$(byId("run-compare")).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "comparison");
  await click(browser, byId("open-on-canvas"));
  await flowIsOpen(browser);
  await isSound(browser, "a run of the past");
});

test("an evaluation with its settings and its results", async () => {
  const { browser } = window;
  const folder = path.join(window.folder, "evaluations");
  mkdirSync(folder, { recursive: true });
  const bundled = path.join(root, "templates/evaluations");
  for (const name of readdirSync(bundled)) copyFileSync(path.join(bundled, name), path.join(folder, name));
  copyFileSync(path.join(root, "templates/self-refine.json"), path.join(window.folder, "self-refine.json"));
  await browser.keys(["Control", "Shift", "m"]);
  window.answerDialog(path.join(folder, "self-refine.eval.json"));
  await click(browser, byId(testIds.evalOpen));
  await browser.$(byId(testIds.evalGrid)).waitForDisplayed({ timeout: 15_000 });
  await isSound(browser, "evaluation");
  await click(browser, byId(testIds.evalRunAll));
  const dialog = browser.$("dialog[open]");
  await dialog.waitForDisplayed({ timeout: 15_000 });
  await dialog.$("button=Run").click();
  await browser.$(byId(testIds.evalProgress)).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "experiment on its way");
  await browser.$(byId(testIds.evalRunAll)).waitForDisplayed({ timeout: 90_000 });
  for (const tab of ["curve", "compare", "policies", "rate"]) {
    await click(browser, byId(testIds.evalTab(tab)));
    await isSound(browser, `results: ${tab}`);
  }
}, 240_000);
