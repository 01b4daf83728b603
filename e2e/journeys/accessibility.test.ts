// axe and a check of the computed colours find nothing serious or critical on the pages, in both themes, in
// the real window. The keyboard reaches every region of the window: F6 moves from one to the next, in reading
// order.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  commandList,
  deselect,
  flowIsOpen,
  openTemplate,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { isSound } from "../support/sound";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("the first page, the palette, the keys and the settings", async () => {
  const { browser } = window;
  await browser.$(byId(testIds.template("self-refine"))).waitForDisplayed({ timeout: 20_000 });
  await isSound(browser, "gallery");
  await browser.keys(["Control", "k"]);
  await browser.$(commandList).waitForDisplayed();
  await isSound(browser, "palette");
  await browser.keys("Escape");
  await browser.keys(["Shift", "?"]);
  await browser.$('dialog[aria-labelledby="sheet-title"]').waitForDisplayed();
  await isSound(browser, "keys");
  await browser.keys("Escape");
  await browser.keys(["Control", ","]);
  const sections = await browser
    .$$('nav [data-testid^="settings-"]')
    .map((one) => one.getAttribute("data-testid"));
  expect(sections.length).toBeGreaterThan(4);
  for (const section of sections) {
    await click(browser, byId(section ?? ""));
    await isSound(browser, section ?? "");
  }
  await click(browser, byId("settings-done"));
});

test("the editor at rest, with problems, and after a run; the history", async () => {
  const { browser } = window;
  await openTemplate(browser, "agentic-search");
  await isSound(browser, "editor");
  await selectNode(browser, "research");
  await isSound(browser, "settings of a loop");
  await browser.keys("Delete");
  await click(browser, byId(testIds.validateButton));
  await browser.$('ul[aria-label="Problems"] > li').waitForDisplayed();
  await isSound(browser, "problems");
  await click(browser, byId(testIds.undoButton));
  // With nothing selected, the panel shows the run.
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await selectNode(browser, "answer");
  await isSound(browser, "a run");
  await click(browser, byId(testIds.viewRuns));
  await browser.$('[data-testid^="run-row-"]').waitForDisplayed();
  await isSound(browser, "history");
  await click(browser, byId(testIds.viewEvaluate));
  await browser.$(byId(testIds.evalOpen)).waitForDisplayed();
  await isSound(browser, "evaluate");
});

test("F6 moves through the regions in reading order", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewEdit));
  await flowIsOpen(browser);
  // The second check is outside of the run, whose view has no palette.
  await click(browser, byId(testIds.viewEdit));
  await browser.$('[data-region="palette"]').waitForDisplayed();
  await browser.execute(() => (document.querySelector('[data-region="top"] button') as HTMLElement).focus());
  const regions: string[] = [];
  for (let i = 0; i < 6; i++) {
    await browser.keys("F6");
    regions.push(
      await browser.execute(
        (known) => known.find((one) => document.activeElement?.closest(one)) ?? "none",
        ["top", "palette", "side", "dock", "canvas", "status"].map((name) => `[data-region="${name}"]`),
      ),
    );
  }
  const inOrder = ['[data-region="palette"]', '[data-region="canvas"]', '[data-region="side"]'];
  expect(regions.filter((region) => inOrder.includes(region)).slice(0, 3)).toEqual(inOrder);
  expect(regions).toContain('[data-region="top"]');
  expect(regions).not.toContain("none");
});

test("the tour can be taken by keyboard, and is not offered again", async () => {
  const { browser } = window;
  await browser.keys(["Control", "Shift", "h"]);
  await click(browser, `${byId("tour-offer")} button`);
  await browser.$(byId("tour")).waitForDisplayed({ timeout: 10_000 });
  expect(await browser.execute(() => document.activeElement?.textContent)).toBe("This is a loop");
  await isSound(browser, "tour, with several flows open");
  await browser.keys("Escape");
  await browser.$(byId("tour")).waitForExist({ reverse: true });
  await browser.keys(["Control", "Shift", "h"]);
  await browser.$(byId("template-blank")).waitForDisplayed();
  expect(await browser.$(byId("tour-offer")).isExisting()).toBe(false);
});
