// The first-run tour in the real window: taken step by step, while the element that a step describes is
// visible next to the card; and declined.
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId } from "../support/editor";
import { type Browser, openWindow, remove, type Window } from "../support/window";

let window: Window;
beforeEach(async () => {
  window = await openWindow({ display: inject("display") });
});
afterEach(async () => {
  await window?.close();
  if (window) remove(window.folder);
});

const card = (browser: Browser) => browser.$(byId("tour"));
const onward = (browser: Browser) => card(browser).$("button:last-child").click();

/**
 * Returns whether the card is fully in the window, whether the ring is visible, and whether they do not
 * overlap.
 */
const places = (browser: Browser) =>
  browser.execute(() => {
    const at = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const [box, ring] = [at('[data-testid="tour"]'), at('[data-testid="tour-ring"]')];
    const inside = (r?: DOMRect) =>
      r !== undefined && r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
    const apart =
      !box ||
      !ring ||
      box.right <= ring.left ||
      ring.right <= box.left ||
      box.bottom <= ring.top ||
      ring.bottom <= box.top;
    return { card: inside(box), ring: ring !== undefined && ring.width > 20, apart };
  });

test("is taken step by step, and runs the loop", async () => {
  const { browser } = window;
  await browser.$(byId("tour-offer")).$("button=Take the tour").click();
  const titles: string[] = [];
  for (let step = 1; step <= 6; step++) {
    await browser.waitUntil(
      async () => (await card(browser).getAttribute("aria-label")) === `Tour, step ${step} of 6`,
      { timeout: 20_000, timeoutMsg: `step ${step} does not appear` },
    );
    titles.push(await card(browser).$("h2").getText());
    await atRest(browser);
    expect(await places(browser), `step ${step}`).toEqual({ card: true, ring: true, apart: true });
    await window.picture(`tour-${step}`);
    await onward(browser);
  }
  expect(titles).toEqual([
    "This is a loop",
    "The way back",
    "The way out",
    "Run it",
    "Go back in time",
    "See what changed",
  ]);
  await card(browser).waitForExist({ reverse: true });

  // The tour starts again in the same tab, because its flow is unchanged.
  await browser.keys(["Control", "k"]);
  await browser.keys("tour of one loop");
  await browser.keys("Enter");
  await browser.waitUntil(
    async () => (await card(browser).getAttribute("aria-label")) === "Tour, step 1 of 6",
    { timeout: 20_000, timeoutMsg: "the tour does not begin again" },
  );
  // A single flow has no tabs.
  expect(await browser.$$('[aria-label="Open flows"]').length).toBe(0);
});

test("is declined once and for all", async () => {
  const { browser } = window;
  await browser.$(byId("tour-offer")).$("button=No, thanks").click();
  await browser.$(byId("tour-offer")).waitForExist({ reverse: true });
  await browser.refresh();
  await browser.$(byId(testIds.template("self-refine"))).waitForExist({ timeout: 20_000 });
  expect(await browser.$(byId("tour-offer")).isExisting()).toBe(false);
});
