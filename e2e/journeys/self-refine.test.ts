// From the gallery to a refined text: the user's own words, the rising count, every iteration, the
// difference.
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  fill,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
  textOf,
  watchCounts,
} from "../support/editor";
import { openWindow, type Window } from "../support/window";

const TEXT =
  "We was told on friday that the the shipment are late. Their is no reason given, and noone beleive the new date.";

describe("Self-Refine on one's own text", () => {
  let window: Window;
  beforeAll(async () => {
    window = await openWindow({ display: inject("display") });
  });
  afterAll(() => window?.close());

  test("runs from the gallery to the end", async () => {
    const { browser } = window;
    await openTemplate(browser, "self-refine");
    await fill(browser, byId(testIds.inputField("topic")), TEXT);
    await startRun(browser);
    await watchCounts(browser, "refine", 3);
    expect(await runEnds(browser)).toBe("done");
    expect(await textOf(browser, byId(testIds.loopBadge("refine")))).toBe("Iteration 3 / 3");
    expect(await textOf(browser, byId(testIds.exitBadge("exit")))).toContain("3 / 3");
    expect(await textOf(browser, byId("exit-reason"))).toBe("Max iterations");
    const refined = await textOf(browser, byId("run-output-refined_output"));
    expect(refined).toContain("Friday");
    expect(refined).not.toContain("the the");
  });

  test("shows every iteration, and what changed", async () => {
    const { browser } = window;
    await selectNode(browser, "draft");
    await choose(browser, "How the output is shown", "Plain");
    const texts = [await outputOf(browser, 1), await outputOf(browser, 2), await outputOf(browser, 3)];
    expect(texts[2]).not.toBe(texts[0]);
    await choose(browser, "How the output is shown", "Compare to first");
    const diff = browser.$(byId(testIds.diffView));
    await diff.waitForDisplayed();
    expect(await diff.$$("ins").length).toBeGreaterThan(0);
    expect(await diff.$$("del").length).toBeGreaterThan(0);
    await window.picture("self-refine-diff");
  });

  test("keeps the run for the next start", async () => {
    const { browser } = window;
    await browser.$(byId(testIds.viewRuns)).click();
    // The query is repeated: the list appears a moment after the page.
    const rows = () => browser.$$('[data-testid^="run-row-"]');
    await browser.waitUntil(async () => (await rows().length) === 1, { timeoutMsg: "the run is not listed" });
    expect(await rows()[0]?.getText()).toContain("Self-Refine");
  });
});
