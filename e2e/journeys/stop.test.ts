// A run stopped in the middle remains as a cancelled one, and its finished iterations are readable.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: SlowModel;
let window: Window;
beforeAll(async () => {
  model = await startSlowModel(60);
  window = await openWindow({ display: inject("display"), folder: folderUsing(model) });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

test("a stopped run is cancelled and its finished iterations can be read", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  // The second of three has begun, so one iteration is finished.
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.loopBadge("refine"))).getText()) === "Iteration 2 / 3",
    { timeout: 60_000, interval: 50, timeoutMsg: "the second iteration does not begin" },
  );
  await click(browser, byId(testIds.stopButton));
  expect(await runEnds(browser, 15_000)).toBe("stopped");
  await selectNode(browser, "draft");
  await choose(browser, "How the output is shown", "Plain");
  expect((await outputOf(browser, 1)).length).toBeGreaterThan(10);

  await click(browser, byId(testIds.viewRuns));
  const row = browser.$('[data-testid^="run-row-"]');
  await row.waitForDisplayed();
  expect(await row.getText()).toContain("Self-Refine");
  await row.click();
  const status = browser.$(`[data-region="run"] ${byId("run-status")}`);
  await status.waitForDisplayed({ timeout: 5_000 });
  expect(await status.getText()).toBe("stopped");
  await window.picture("stopped-run");
});
