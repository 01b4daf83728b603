// Measures a long history in the built window: 10,000 runs and one of 1,000 iterations. The measured actions
// are opening, scrolling and searching the list, and reading iterations of the long run on demand. Prints
// tables; the figures depend on the machine.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click } from "../support/editor";
import { builtProgram, openWindow, remove, type Window } from "../support/window";
import { type Answer, answered, timesTable } from "./answers";
import { frames, table } from "./frames";

/** The time that the user perceives as immediate, in milliseconds. It is the target for the median. */
const LIST = 200;
const OPEN = 300;
const FRAME = 20;
const TIMES = 7;

const ROW = '[role="option"][data-testid^="run-row-"]';
/** The selector of the list box in the element that scrolls. */
const BOX = '[role="listbox"][aria-label="Runs"]';

let folder: string;
let window: Window;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-bench-"));
  mkdirSync(path.join(folder, "data"), { recursive: true });
  execFileSync(builtProgram("loopwright-bench"), ["store", path.join(folder, "data/runs.db")]);
  window = await openWindow({ display: inject("display"), folder });
}, 300_000);
afterAll(async () => {
  await window?.close();
  if (folder) remove(folder);
});

const gallery = async () => {
  await window.browser.keys(["Control", "Shift", "h"]);
  await window.browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
  await window.browser.pause(300);
};

const openHistory = (shows: { selector: string; text?: string }) =>
  answered(window, shows, () => window.browser.keys(["Control", "Shift", "r"]));

/** Scrolls the list by `by` pixels some 60 times a second, 90 times. */
async function scroll(by: number): Promise<void> {
  const { browser } = window;
  await browser.execute(
    (box, step) => {
      const list = document.querySelector(box)?.parentElement;
      const watch = globalThis as unknown as { scrolled: boolean };
      watch.scrolled = false;
      let turns = 0;
      const turn = () => {
        list?.scrollBy(0, step);
        turns += 1;
        if (turns < 90) setTimeout(turn, 16);
        else watch.scrolled = true;
      };
      turn();
    },
    BOX,
    by,
  );
  await browser.waitUntil(
    () => browser.execute(() => (globalThis as unknown as { scrolled: boolean }).scrolled),
    {
      timeout: 60_000,
    },
  );
}

/** Jumps to a distant place in the list. Returns the milliseconds until its rows are read and drawn. */
function jump(share: number): Promise<number> {
  return window.browser.executeAsync(
    (box: string, reading: string, to: number, done: (ms?: number) => void) => {
      const list = document.querySelector(box)?.parentElement;
      if (!list) return done();
      const begun = performance.now();
      list.scrollTop = to * (list.scrollHeight - list.clientHeight);
      const look = () => {
        const { top, bottom } = list.getBoundingClientRect();
        const seen = [...list.querySelectorAll(`[role="option"], ${reading}`)].filter((row) => {
          const box = row.getBoundingClientRect();
          return box.bottom > top && box.top < bottom;
        });
        const read = seen.length > 5 && seen.every((row) => !row.matches(reading));
        if (!read) requestAnimationFrame(look);
        else requestAnimationFrame(() => done(performance.now() - begun));
      };
      requestAnimationFrame(look);
    },
    BOX,
    byId(testIds.runReading),
    share,
  ) as Promise<number>;
}

const load = () => `load ${loadavg()[0]?.toFixed(1)}`;

test("10,000 runs, and one of 1,000 iterations", { timeout: 300_000 }, async () => {
  const { browser } = window;
  await browser.$(byId("template-blank")).waitForDisplayed({ timeout: 20_000 });
  await browser.pause(2_000);
  const before = load();
  const first = [await openHistory({ selector: ROW })];
  expect(await browser.$(byId("store-size")).getText()).toMatch(/^10,001 runs kept/);
  const again: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    await gallery();
    again.push(await openHistory({ selector: ROW }));
  }

  const details: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    await click(browser, `${ROW}:not([id^="run-ffffffff"])`);
    await browser
      .$('//*[@data-region="run"]//h1[starts-with(., "Flow")]')
      .waitForDisplayed({ timeout: 10_000 });
    await browser.pause(200);
    details.push(
      await answered(window, { selector: byId("heat") }, () => click(browser, '[id^="run-ffffffff"]')),
    );
  }
  const cells: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    cells.push(
      await browser.executeAsync(
        (from: number, done: (ms: number) => void) => {
          const slider = document.querySelector<HTMLInputElement>('[aria-label="First iteration shown"]');
          const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
          const begun = performance.now();
          if (!slider) return;
          set?.call(slider, String(from));
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          const look = () => {
            const found = [...document.querySelectorAll('[role="gridcell"]')];
            const label = `iteration ${from}:`;
            const read = found.find((cell) => cell.getAttribute("aria-label")?.includes(label));
            if (!read || read.textContent === "") requestAnimationFrame(look);
            else requestAnimationFrame(() => done(performance.now() - begun));
          };
          requestAnimationFrame(look);
        },
        100 + i * 120,
      ),
    );
  }
  const canvases: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    canvases.push(
      await answered(window, { selector: '[data-region="stage"] [data-testid^="timeline-segment-"]' }, () =>
        click(browser, byId("open-on-canvas")),
      ),
    );
    await browser.$(".react-flow__node").waitForDisplayed({ timeout: 10_000 });
    await browser.keys(["Control", "Shift", "r"]);
    await browser.$(byId("heat")).waitForDisplayed({ timeout: 10_000 });
    await browser.pause(300);
  }

  const jumps: number[] = [];
  for (const share of [0.5, 0.9, 0.1, 0.7, 0.3, 1, 0.6]) jumps.push(await jump(share));
  await jump(0);
  const scrolls = [
    ["scroll, 40 pixels a step", await frames(window, () => scroll(40))],
    ["scroll back", await frames(window, () => scroll(-40))],
    ["scroll fast, 400 pixels a step", await frames(window, () => scroll(400))],
  ] as const;

  console.log(
    [
      `10,001 runs in the store; ${before} at the start, ${load()} at the end`,
      timesTable([
        ["the history, first time", first, LIST],
        ["the history, again", again, LIST],
        ["rows after a jump in the list", jumps, LIST],
        ["a run of 1,000 iterations, its detail", details, OPEN],
        ["12 of its iterations, read on demand", cells, OPEN],
        ["the run of 1,000 iterations on the canvas", canvases, OPEN],
      ]),
      table(scrolls),
      `an aim for frames: ${FRAME} ms`,
    ].join("\n"),
  );
  const answers = [first, again, details, canvases].flat().map(({ took }) => took);
  expect([...answers, ...jumps, ...cells].every(Number.isFinite)).toBe(true);
});
