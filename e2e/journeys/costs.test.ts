// The page Costs in the real window: a run is counted, in the bars and in the table.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, openTemplate, runEnds, startRun } from "../support/editor";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("what a run cost is counted by day and by flow", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await click(browser, byId(testIds.viewCosts));
  const table = browser.$(byId(testIds.costsLines));
  await table.waitForDisplayed({ timeout: 10_000, timeoutMsg: "no table of costs is shown" });
  await window.picture("costs");
  expect(await browser.$(byId(testIds.costsTotal)).getText()).toBe("$0.00");
  expect(await table.getText()).toContain("Total");
  // A model that costs nothing has no bar.
  const bars = await browser.$$('[aria-label="bar"] rect');
  for (const bar of bars) expect((await bar.getSize()).height).toBeLessThan(2);
});
