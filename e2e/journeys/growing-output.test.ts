// The view follows the end of streaming text, unless the user scrolls back. Everything below it stays in
// view.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, choose, openTemplate, selectNode, startRun } from "../support/editor";
import { type FastModel, startFastModel } from "../support/fast-model";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: FastModel;
let window: Window;
beforeAll(async () => {
  // The text streams for some ten seconds and is three times as long as the panel is high.
  model = await startFastModel(80, 800);
  window = await openWindow({ display: inject("display"), folder: folderUsing(model) });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

const GROWING = `${byId("output-text")} [role="region"]`;

/**
 * Returns a box's scroll position, the maximum of that position, and the lower edge of the panel's foot, in
 * pixels; and the position of the caret as a fraction of the box's height.
 */
async function place(selector: string): Promise<{ top: number; end: number; foot: number; caret: number }> {
  return window.browser.execute((wanted) => {
    const box = document.querySelector<HTMLElement>(wanted);
    if (!box) throw new Error(`${wanted} is not on the page`);
    const { top, bottom } = box.getBoundingClientRect();
    const caret = box.querySelector("[data-caret]")?.getBoundingClientRect();
    const middle = caret ? (caret.top + caret.bottom) / 2 : Number.NaN;
    return {
      top: Math.round(box.scrollTop),
      end: Math.round(box.scrollHeight - box.clientHeight),
      foot: Math.round(
        document.querySelector('[data-testid="inspector-foot"]')?.getBoundingClientRect().bottom ?? 0,
      ),
      // 0 at the upper edge of the box, 1 at the lower.
      caret: (middle - top) / (bottom - top),
    };
  }, selector);
}

const isLonger = (selector: string, than: number) =>
  window.browser.waitUntil(async () => (await place(selector)).end > than, {
    timeout: 30_000,
    interval: 50,
    timeoutMsg: "the text does not grow",
  });

test("the end of a growing text stays in view until somebody scrolls back", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  await selectNode(browser, "draft");
  await browser.$(GROWING).waitForDisplayed({ timeout: 10_000 });
  await isLonger(GROWING, 60);
  const followed = await place(GROWING);
  expect(followed.end - followed.top).toBeLessThanOrEqual(1);
  expect(followed.caret).toBeGreaterThan(0.8);
  expect(followed.caret).toBeLessThan(1);
  expect(followed.foot).toBeLessThanOrEqual(900);

  await browser.execute((box) => document.querySelector<HTMLElement>(box)?.focus(), GROWING);
  await browser.keys(["Home"]);
  await browser.waitUntil(async () => (await place(GROWING)).top === 0);
  const { end } = await place(GROWING);
  await isLonger(GROWING, end + 40);
  expect((await place(GROWING)).top).toBe(0);

  await browser.keys(["End"]);
  const isAtEnd = async () => {
    const now = await place(GROWING);
    return now.end - now.top <= 1;
  };
  await browser.waitUntil(isAtEnd, {
    timeout: 5_000,
    interval: 20,
    timeoutMsg: "the key End does not scroll to the end",
  });
  await isLonger(GROWING, (await place(GROWING)).end + 40);
  expect(await isAtEnd()).toBe(true);
});

test("a diff that is being written is followed at its caret", async () => {
  const { browser } = window;
  await choose(browser, "How the output is shown", "Diff with previous");
  const diff = `${byId("diff-view")}[class~="DiffView_grows"]`;
  await browser.$(diff).waitForDisplayed({ timeout: 60_000 });
  await browser.waitUntil(async () => (await place(diff)).top > 60, {
    timeout: 30_000,
    interval: 50,
    timeoutMsg: "the diff is not followed",
  });
  const { caret, foot } = await place(diff);
  expect(caret).toBeGreaterThan(0.5);
  expect(caret).toBeLessThan(1);
  expect(foot).toBeLessThanOrEqual(900);
});
