// A run of several long loops: the window keeps little of past iterations, and a viewed iteration is
// complete.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, runEnds, selectNode, startRun, wholeText } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { loopsInARow } from "../support/large-flows";
import { chooseOption } from "../support/list";
import { openWindow, type Window } from "../support/window";

const LOOPS = 5;
const PASSES = 60;

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const flow = loopsInARow({
  count: LOOPS,
  passes: PASSES,
  steps: ["step"],
  template: "{{ input }}.",
  text: "x",
});

/** Returns the bars of an iteration's segment in the timeline. */
const bars = (k: number) =>
  window.browser.$$(`${byId(testIds.timelineSegment(k))} ${byId(testIds.timelineBar)}`);

const hasBars = (k: number) =>
  window.browser.waitUntil(async () => (await bars(k).length) > 0, {
    timeout: 10_000,
    timeoutMsg: `iteration ${k} has no bar in the timeline`,
  });

const showInTimeline = (loop: string) =>
  chooseOption(window.browser, '[aria-label="Loop shown in the timeline"]', loop);

test("the iterations of a loop that ended long ago are drawn once the timeline shows it", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "long.flow.json", flow));
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  for (const loop of ["loop2", "loop1", "loop3"]) {
    await showInTimeline(loop);
    for (const k of [PASSES - 30, PASSES - 10, PASSES]) await hasBars(k);
  }
});

test("the time of an iteration is not cut off at any width, however long it is", async () => {
  const cut = await window.browser.execute(
    (times: string[]) => {
      const track = document.querySelector<HTMLElement>('[role="listbox"][aria-label="Iterations"]');
      const time = document.querySelector<HTMLElement>('[data-testid="segment-time"]');
      const text = time?.firstChild;
      if (!track || !time || !text) return ["no iteration"];
      const before = [track.style.gridTemplateColumns, text.textContent] as const;
      // Imitate the segment of a running iteration.
      const live = Object.assign(document.createElement("i"), {
        className: "Timeline_live-word",
        textContent: "live",
      });
      time.append(live);
      const found: string[] = [];
      for (let width = 84; width <= 200; width += 2) {
        track.style.gridTemplateColumns = `repeat(${track.children.length}, ${width}px)`;
        for (const each of times) {
          text.textContent = each;
          if (time.scrollWidth > time.clientWidth) found.push(`${each} at ${width} px`);
        }
      }
      live.remove();
      [track.style.gridTemplateColumns, text.textContent] = before;
      return found;
    },
    ["999 ms", "59.9 s", "59 m 59 s", "23 h 59 m"],
  );
  expect(cut).toEqual([]);
});

test("the inputs and outputs of an evicted iteration can be read", async () => {
  const { browser } = window;
  // The run ended at its output, which is far from the first loop.
  await browser.$('[aria-label="Fit view"]').click();
  await selectNode(browser, "step1");
  await showInTimeline("loop1");
  await browser.$('[aria-label="First iteration"]').click();
  await browser.$(byId("timeline-segment-12")).click();
  await hasBars(12);
  const says = (words: RegExp) =>
    browser.waitUntil(async () => words.test(await wholeText(browser, '[aria-label="Inspector"]')), {
      timeout: 10_000,
      timeoutMsg: `the panel does not say ${words}`,
    });
  await says(/x\.{12}(?!\.)/);
  await says(/Input, iteration 11\s*x\.{11}(?!\.)/);
});
