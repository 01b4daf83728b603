// Measures the built window while 2,000 tokens a second are streamed: the response time to a key or a click,
// and the frames. Prints a table; the figures depend on the machine, which also runs the streaming server.
import { loadavg } from "node:os";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, commandList, openTemplate, selectNode, startRun } from "../support/editor";
import { type FastModel, startFastModel } from "../support/fast-model";
import type { Point } from "../support/pointer";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";
import { type Answer, answered, timesTable } from "./answers";
import { frames, table } from "./frames";

const PER_SECOND = 2_000;
/**
 * The number of tokens of an answer, enough for the first model of the loop to stream during the whole
 * measurement.
 */
const TOKENS = 120_000;
const AIM = 50;
const TIMES = 10;

let model: FastModel;
let window: Window;
beforeAll(async () => {
  model = await startFastModel(PER_SECOND, TOKENS);
  window = await openWindow({ display: inject("display"), folder: folderUsing(model) });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

/** Returns a point in the line below a tab's name, which appears when the tab is selected. */
async function lineBelow(selector: string): Promise<Point> {
  return window.browser.execute((wanted) => {
    const box = document.querySelector(wanted)?.getBoundingClientRect() ?? new DOMRect();
    return { x: Math.round(box.x + box.width / 2) - 8, y: Math.floor(box.bottom) - 1 };
  }, selector);
}

/** A point within the upper edge of the command palette, where nothing else changes. */
const PALETTE: Point = { x: 720, y: 93 };

/**
 * Returns the durations of the page's event-loop turns during `seconds`, in milliseconds. An event that
 * arrives during a turn waits for its end.
 */
async function turns(seconds: number): Promise<number[]> {
  const times = await window.browser.executeAsync((ms: number, done: (times: number[]) => void) => {
    const { port1, port2 } = new MessageChannel();
    const found: number[] = [];
    const begun = performance.now();
    let last = begun;
    port1.onmessage = () => {
      const now = performance.now();
      found.push(now - last);
      last = now;
      if (now - begun < ms) port2.postMessage(null);
      else done(found.filter((time) => time > 1));
    };
    port2.postMessage(null);
  }, seconds * 1000);
  return times as number[];
}

test("a key and a click while 2,000 tokens a second come in", { timeout: 400_000 }, async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  await selectNode(browser, "draft");
  await browser.$(byId("output-text")).waitForDisplayed({ timeout: 10_000 });
  const load = loadavg()[0]?.toFixed(1);
  const [before, begun] = [model.written(), performance.now()];
  const events = await browser.$(byId(testIds.inspectorTab("events"))).getAttribute("aria-selected");
  expect(events).toBe("false");

  const clicks: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    const tab = byId(testIds.inspectorTab(i % 2 === 0 ? "events" : "output"));
    const shows = { selector: `${tab}[aria-selected="true"]` };
    clicks.push(await answered(window, shows, () => click(browser, tab), await lineBelow(tab)));
  }
  const keys: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    const [shows, key] =
      i % 2 === 0
        ? [{ selector: commandList }, ["Control", "k"]]
        : [{ selector: "body", absent: commandList }, ["Escape"]];
    keys.push(await answered(window, shows, () => browser.keys(key), PALETTE));
  }
  const streamed = await frames(window, () => browser.pause(4_000).then(() => undefined));
  const waits = await turns(4);
  const rate = (model.written() - before) / ((performance.now() - begun) / 1000);
  expect(await browser.$(byId("run-status")).isExisting()).toBe(false);
  console.log(
    [
      `${Math.round(rate)} tokens a second streamed; load ${load} at the start, ${loadavg()[0]?.toFixed(1)} at the end`,
      timesTable([
        ["from a click to its answer on the screen", clicks, AIM],
        ["from a key to its answer on the screen", keys, AIM],
        ["turns of the page over 1 ms", waits, AIM],
      ]),
      table([["frames meanwhile", streamed]]),
    ].join("\n"),
  );
  expect(rate).toBeGreaterThan(PER_SECOND / 2);
});
