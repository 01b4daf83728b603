// axe and a check of the computed colours find nothing serious or critical on overlays and temporary states:
// sheets, menus, dialogs, a run in progress, the report of an import.
import path from "node:path";
import { afterAll, beforeAll, beforeEach, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, closeApproval, deselect, openTemplate, selectNode } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { isSound } from "../support/sound";
import { openWindow, root, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

beforeEach(async () => {
  const { browser } = window;
  await browser.$(`${byId("template-blank")}, [data-region="top"]`).waitForExist({ timeout: 20_000 });
  await browser.keys(["Control", "Shift", "h"]);
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
});

/** A flow with a step that takes longer than the test, a question, and a tool call. */
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

test("a run in progress: its permissions, sheets, cards and log", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "busy.flow.json", busy));
  await click(browser, byId(testIds.runButton));
  await browser.$(byId(testIds.trustDialog)).waitForDisplayed({ timeout: 10_000 });
  await isSound(browser, "the permissions of the flow");
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
  await click(browser, '[aria-label^="File: "]');
  await browser.$('[role="menu"]').waitForDisplayed();
  await isSound(browser, "file menu");
  await browser.keys("Escape");
  await click(browser, '[data-region="top"] [aria-label^="Model: "]');
  await browser.$('[role="menu"], [role="option"][data-value]').waitForDisplayed();
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
  await isSound(browser, "the list of nodes that may follow");
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
