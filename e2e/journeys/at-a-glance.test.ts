// A run is readable at a glance: the bundled templates run in windows of three sizes, and every frame is
// checked.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { startDisplay } from "../support/display";
import { byId, click, openTemplate, runEnds } from "../support/editor";
import { type FastModel, startFastModel } from "../support/fast-model";
import { folderUsing } from "../support/slow-model";
import { watched, watchRun } from "../support/watch-run";
import { openWindow, remove, type Window } from "../support/window";

/**
 * The time until the view follows a running node, in milliseconds: first the node must run for a moment, and
 * then the view moves.
 */
const FOLLOWS_WITHIN = 1_000;

const TEMPLATES = [
  "self-refine",
  "agentic-search",
  "code-review-loop",
  "map-over-a-list",
  "poll-until-done",
  "retry-with-correction",
  "summarise-until-stable",
  "fix-until-green",
];

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];

interface Ending {
  /** Whether the card of an output is fully visible and not covered by the minimap. */
  result: boolean;
  /** The times in the timeline that are cut off for lack of space. */
  cut: string[];
}

/** Returns what the user sees when the run has ended. */
const ending = (window: Window): Promise<Ending> =>
  window.browser.execute(() => {
    const pane =
      document.querySelector('[data-region="canvas"] .react-flow')?.getBoundingClientRect() ?? new DOMRect();
    const map = document
      .querySelector('[data-region="canvas"] [aria-label="Minimap"]')
      ?.getBoundingClientRect();
    const outputs = [...document.querySelectorAll('article[data-kind="output"]')];
    const times = [...document.querySelectorAll<HTMLElement>('[data-testid="segment-time"]')];
    return {
      result: outputs.some((card) => {
        const { left, right, top, bottom } = card.getBoundingClientRect();
        const isWhole = left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
        return isWhole && !(map && right > map.left && bottom > map.top);
      }),
      cut: times.filter((time) => time.scrollWidth > time.clientWidth).map((time) => time.textContent ?? ""),
    };
  });

/** Runs the template in the window and checks each frame. */
async function readsWell(window: Window, template: string, picture: string): Promise<void> {
  const { browser } = window;
  await browser.keys(["Control", "Shift", "h"]);
  if (template === "fix-until-green") window.answerDialog(window.folder);
  await openTemplate(browser, template);
  // Watching starts before the run: its first frames count as well.
  await watchRun(browser);
  await click(browser, byId(testIds.runButton));
  if (template === "fix-until-green") await click(browser, byId(testIds.trustAllow));
  await browser
    .$(byId("run-status"))
    .waitForDisplayed({ timeout: 10_000, timeoutMsg: "the run does not begin" });
  const end = await runEnds(browser);
  // A card shows its end a frame later, and a view that is fitted again needs time to settle.
  await browser.pause(800);
  const seen = await watched(browser);
  const last = await ending(window);
  await window.picture(picture);
  expect(end).toBe("done");
  expect(seen.frames).toBeGreaterThan(5);
  const unseen = seen.unseen.ms < FOLLOWS_WITHIN ? [] : [seen.unseen];
  expect(last).toEqual({ result: true, cut: [] });
  expect({ ...seen, unseen }).toMatchObject({ small: [], overlaps: [], unseen: [] });
}

describe.each(SIZES)("in a window of $width by $height", ({ width, height }) => {
  const size = `${width}x${height}`;
  let screen: Awaited<ReturnType<typeof startDisplay>>;
  let window: Window;
  let model: FastModel;
  let folder: string | undefined;
  beforeAll(async () => {
    screen = await startDisplay(size);
    // Fast enough for a test and slow enough to follow: a call takes a second.
    model = await startFastModel(120, 120);
    window = await openWindow({ ...screen });
    await window.browser.setWindowSize(width, height);
  });
  afterAll(async () => {
    await window?.close();
    model?.stop();
    screen?.stop();
    if (folder) remove(folder);
  });

  test("the window has that size", async () => {
    expect(await window.browser.execute(() => [innerWidth, innerHeight])).toEqual([width, height]);
  });

  test.each(TEMPLATES)("%s", async (template) => {
    await readsWell(window, template, `at-a-glance-${template}-${size}`);
  });

  test("texts that stream", async () => {
    folder = folderUsing(model);
    await window.close();
    window = await openWindow({ ...screen, folder });
    await window.browser.setWindowSize(width, height);
    await readsWell(window, "self-refine", `at-a-glance-stream-${size}`);
  });
});
