// The user decides inside a loop: returns the value in an edited form, closes the window, and approves
// afterwards.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  closeApproval,
  deselect,
  fill,
  runEnds,
  selectNode,
  startRun,
  textOf,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, remove, type Window } from "../support/window";

let folder: string;
let window: Window;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

const flow = {
  name: "Asked",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "a" }],
    ["refine", "loop", { label: "Refine", maxIterations: 5, exitCondition: "evaluator" }],
    ["draft", "transform", { label: "Draft", template: "{{ input }}!" }],
    ["ask", "approval", { label: "Ask", message: "Good enough?" }],
    ["exit", "exit", { label: "Exit" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires(
    "text.value -> refine.input",
    "refine.body -> draft.input",
    "draft.output -> ask.input",
    "ask.approved -> exit.input",
    "ask.rejected -> refine.feedback",
    "exit.output -> done.value",
  ),
};

const value = `${byId("waiting-panel")} textarea`;

async function waitForText(text: string): Promise<void> {
  const { browser } = window;
  await selectNode(browser, "ask");
  await browser.waitUntil(
    async () => {
      const area = browser.$(value);
      return (await area.isExisting()) && (await area.getValue()) === text;
    },
    { timeout: 20_000, timeoutMsg: `no question about “${text}” is shown` },
  );
}

test("the value is sent back in an edited form, and the next iteration starts from it", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "asked.loop", flow));
  await startRun(browser);
  // The sheet opens by itself; the button opens it again.
  const inSheet = browser.$(`${byId(testIds.approvalSheet)} textarea`);
  await inSheet.waitForDisplayed({ timeout: 20_000, timeoutMsg: "no question is shown" });
  expect(await inSheet.getValue()).toBe("a!");
  await window.picture("approval");
  await closeApproval(browser);
  await click(browser, byId(testIds.waitingButton));
  await closeApproval(browser);
  await waitForText("a!");
  await fill(browser, value, "b");
  await fill(browser, `${byId("waiting-panel")} input`, "shorter");
  // The written text is still there after another node was selected, and the card's own button sends it.
  await selectNode(browser, "refine");
  await waitForText("b");
  await selectNode(browser, "refine");
  await click(browser, byId(testIds.reject("ask")));
  await closeApproval(browser);
  await waitForText("b!");
  expect(await textOf(browser, byId(testIds.loopBadge("refine")))).toContain("Iteration 2 / 5");
});

test("the window is closed and opened again, and the answer is still awaited", async () => {
  await window.close();
  window = await openWindow({ display: inject("display"), folder });
  const { browser } = window;
  await openFile(window, path.join(folder, "flows", "asked.loop"));
  await click(browser, byId(testIds.viewRuns));
  await click(browser, '[data-testid^="run-row-"]');
  await click(browser, byId("open-on-canvas"));
  await closeApproval(browser);
  await waitForText("b!");
  await fill(browser, value, "final");
  await click(browser, byId("approve"));
  await deselect(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId("exit-reason"))).toBe("Evaluator satisfied");
  expect(await textOf(browser, byId("run-output-done"))).toContain("final");
});

test("while the question is shown, another node can be opened, and Stop ends the run", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "stopped.loop", flow));
  await startRun(browser);
  const panel = browser.$(byId(testIds.approvalSheet));
  await panel.waitForDisplayed({ timeout: 20_000 });
  await selectNode(browser, "draft");
  await panel.waitForExist({ reverse: true, timeoutMsg: "the question stays over the node" });
  expect(await textOf(browser, '[aria-label="Inspector"] header b')).toBe("Draft");
  await click(browser, byId(testIds.waitingButton));
  await panel.waitForDisplayed();
  await click(browser, byId(testIds.stopButton));
  await panel.waitForExist({
    reverse: true,
    timeoutMsg: "the question is still shown after its run has ended",
  });
  await deselect(browser);
  expect(await runEnds(browser)).toBe("stopped");
  // The stopped run continues as a new run, and asks again.
  await click(browser, byId("continue-stopped"));
  await panel.waitForDisplayed({ timeout: 20_000, timeoutMsg: "the run that was stopped does not continue" });
});
