// From a fresh start to the first finished loop. The number of actions is counted, both without a key and
// with a model server on this computer.
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { Actions } from "../support/actions";
import { byId, runEnds, textOf } from "../support/editor";
import { startFastModel } from "../support/fast-model";
import { openWindow, type Window } from "../support/window";

/** Ollama's default port. */
const OLLAMA_PORT = 11_434;

let window: Window;
beforeEach(async () => {
  window = await openWindow({ display: inject("display") });
});
afterEach(() => window?.close());

/** Waits until the loop has ended, after all of its iterations. */
async function loopIsFinished(): Promise<void> {
  const { browser } = window;
  await browser
    .$(byId("run-status"))
    .waitForDisplayed({ timeout: 10_000, timeoutMsg: "the run does not begin" });
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId(testIds.loopBadge("refine")))).toBe("Iteration 3 / 3");
}

test("without a key: a template, and Run", async () => {
  const actions = new Actions(window.browser);
  await actions.click(byId(testIds.template("self-refine")));
  await actions.click(byId(testIds.runButton));
  await loopIsFinished();
  expect(actions.count).toBeLessThanOrEqual(3);
});

test("with Ollama on this computer: it is found, and its model runs the loop", async ({ skip }) => {
  const ollama = await startFastModel(2_000, 40, OLLAMA_PORT).catch(() => null);
  if (ollama === null) skip("NOT TESTED: another program listens at the port of Ollama");
  try {
    // Discovery runs when the page opens, and this window opened before the server started.
    await window.close();
    window = await openWindow({ display: inject("display") });
    const { browser } = window;
    const actions = new Actions(browser);
    await actions.click(`${byId("provider-ollama")} button`);
    const onward = byId(testIds.tryTemplate);
    await browser.waitUntil(async () => (await browser.$(onward).getText()).includes("with Ollama"), {
      timeout: 10_000,
      timeoutMsg: "the button that leads to the first run does not name Ollama",
    });
    await window.picture("first-loop-ollama");
    await actions.click(onward);
    await actions.click(byId(testIds.runButton));
    await loopIsFinished();
    expect(await textOf(browser, byId("run-output-refined_output"))).toContain("harbour seldom");
    expect(ollama?.written()).toBeGreaterThan(100);
    expect(actions.count).toBeLessThanOrEqual(4);
  } finally {
    ollama?.stop();
  }
});
