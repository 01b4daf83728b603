// Takes pictures of every screen in both themes from the real window, and the README's animation. They are written to
// docs/images and committed. Run it with `npm run pictures`, after `npm test` has built the program.
//
// `LOOPWRIGHT_BESIDE=<folder>` puts each picture next to the one in that folder whose name begins with the same
// number, in `e2e/pictures/compared`, to compare the window with a drawing of it.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  atRest,
  byId,
  choose,
  click,
  closeApproval,
  commandList,
  deselect,
  fill,
  openTemplate,
  runEnds,
  selectNode,
  socket,
  startRun,
} from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { chooseOptionAt } from "../support/list";
import { drag, middleOf } from "../support/pointer";
import { type Browser, openWindow, remove, root, type Window } from "../support/window";
import {
  article,
  asking,
  failing,
  folderWith,
  folderWithHistory,
  publish,
  selfRefine,
  setUp,
} from "./scenes";
import { startWriter, type Writer } from "./writer";

const IMAGES = path.join(root, "docs/images");
type Theme = "dark" | "light";

/** The pause after each word that the model server writes, in milliseconds, with and without a viewer. */
const PACE = { watched: 90, unwatched: 12 };

let writer: Writer;
let past: string;
beforeAll(async () => {
  mkdirSync(IMAGES, { recursive: true });
  writer = await startWriter(PACE.watched);
  const quick = await startWriter(PACE.unwatched);
  past = await folderWithHistory(quick.address);
  quick.stop();
});
afterAll(() => {
  writer?.stop();
  if (past) rmSync(past, { recursive: true, force: true });
});

/** Creates a folder with these settings, and with the runs and files of earlier windows. */
function folderAfter(settings: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-pictures-"));
  cpSync(path.join(past, "data"), path.join(folder, "data"), { recursive: true });
  setUp(folder, settings);
  return folder;
}

/** Opens a window, runs `walk` in it and closes it. */
async function inWindow(folder: string, walk: (window: Window) => Promise<void>): Promise<void> {
  const window = await openWindow({ display: inject("display"), folder });
  try {
    await walk(window);
  } finally {
    await window.close();
    remove(folder);
  }
}

/** Saves a picture of the current screen. */
async function savePicture(window: Window, name: string): Promise<void> {
  const file = path.join(IMAGES, `${name}.png`);
  // A palette of 256 colours suffices for flat surfaces, at a third of the size.
  const taken = await window.picture(name);
  execFileSync("convert", [taken, "-dither", "None", "-colors", "256", `png8:${file}`]);
  layBeside(name, taken);
}

function layBeside(name: string, taken: string): void {
  const folder = process.env.LOOPWRIGHT_BESIDE;
  if (!folder) return;
  const [number] = name.split("-");
  const light = name.endsWith("light");
  const others = readdirSync(folder).filter(
    (other) => other.startsWith(`${number}-`) && other.endsWith(".png"),
  );
  const other = others.find((one) => one.includes("light") === light) ?? others[0];
  if (!other) return;
  const compared = path.join(root, "e2e/pictures/compared");
  mkdirSync(compared, { recursive: true });
  execFileSync("convert", [path.join(folder, other), taken, "+append", path.join(compared, `${name}.png`)]);
}

/** Fits the whole flow into view and waits until nothing moves. */
async function settled({ browser }: Window): Promise<void> {
  await click(browser, '[aria-label="Fit view"]');
  await atRest(browser);
}

async function shown(browser: Browser, selector: string): Promise<void> {
  await browser.$(selector).waitForDisplayed({ timeout: 20_000, timeoutMsg: `${selector} is not shown` });
}

/** Waits for the window's opening message, which disappears by itself after a while, and dismisses it. */
async function withoutToast(browser: Browser): Promise<void> {
  const dismiss = browser.$(`${byId(testIds.toast)} [aria-label="Dismiss"]`);
  const there = await dismiss.waitForExist({ timeout: 3000 }).catch(() => false);
  if (there) await dismiss.click();
}

describe.each<Theme>(["dark", "light"])("%s", (theme) => {
  test("the gallery, with files of before, and the settings", async () => {
    await inWindow(folderAfter({ theme, ...asking(writer.address), provider: "builtin" }), async (window) => {
      const { browser } = window;
      for (const name of ["retry-with-correction", "agentic-search", "self-refine"]) {
        await openFile(window, path.join(past, "flows", `${name}.flow.json`));
      }
      await browser.keys(["Control", "Shift", "h"]);
      await shown(browser, byId(testIds.template("self-refine")));
      await withoutToast(browser);
      await savePicture(window, `5-gallery-${theme}`);
      await browser.keys(["Control", ","]);
      await shown(browser, '[data-testid^="provider-row-"]');
      await click(browser, `${byId("provider-row-openai")} button[aria-expanded]`);
      await browser.execute(() =>
        document.querySelector('main[aria-label="Providers and keys"]')?.scrollTo(0, 0),
      );
      await sleep(600);
      await savePicture(window, `6-settings-${theme}`);
    });
  });

  test("the editor at rest, its commands, and its problems", async () => {
    await inWindow(folderWith({ theme }), async (window) => {
      const { browser } = window;
      await openTemplate(browser, "agentic-search");
      await selectNode(browser, "research");
      // As in the drawings: the dark loop ends when its body decides so, the light one on a condition.
      if (theme === "light") {
        await click(browser, byId("exit-mode-condition"));
        await choose(browser, "How the test is written", "Code");
        await fill(browser, byId("condition-text"), "result | length >= 600");
        await choose(browser, "When the test is checked", "after");
        const problems = browser.$(byId(testIds.validateButton));
        await browser.waitUntil(async () => (await problems.getText()).endsWith("0"), {
          timeout: 10_000,
          timeoutMsg: "the flow with a condition has problems",
        });
        await atRest(browser);
      }
      await savePicture(window, `1-editor-${theme}`);
      await browser.keys(["Control", "k"]);
      await shown(browser, commandList);
      for (const key of "run") await browser.keys(key);
      await sleep(400);
      await savePicture(window, `8-commands-${theme}`);
      await browser.keys("Escape");
      await openFile(window, writeFlow(window, "article.flow.json", article));
      await selectNode(browser, "check");
      await browser.keys("f");
      await click(browser, byId(testIds.validateButton));
      await shown(browser, 'ul[aria-label="Problems"] > li');
      await settled(window);
      await selectNode(browser, "polish");
      await browser.$(byId(testIds.problemFix("no_end"))).moveTo();
      await sleep(400);
      await savePicture(window, `2-problems-${theme}`);
    });
  });

  test("a run in progress, one of its earlier iterations, and a fork", async () => {
    await inWindow(folderWith({ theme, ...asking(writer.address) }), async (window) => {
      const { browser } = window;
      await openFile(window, writeFlow(window, "self-refine.flow.json", selfRefine()));
      await startRun(browser);
      await browser.waitUntil(
        async () => (await browser.$(byId(testIds.loopBadge("refine"))).getText()) === "Iteration 3 / 5",
        { timeout: 60_000, interval: 50, timeoutMsg: "the third iteration does not begin" },
      );
      await selectNode(browser, "draft");
      await choose(browser, "How the output is shown", "Diff with previous");
      // This waits until there are some sentences to compare.
      await sleep(2500);
      await savePicture(window, `3-running-${theme}`);
      await click(browser, byId(testIds.iterationPip(2)));
      await click(browser, byId("fork-from-here"));
      await shown(browser, byId("fork-costs"));
      // Cards have grown with their content.
      await settled(window);
      await savePicture(window, `3-fork-${theme}`);
    });
  });

  test("the history, two of its runs compared", async () => {
    await inWindow(folderAfter({ theme, ...asking(writer.address) }), async (window) => {
      const { browser } = window;
      await shown(browser, byId(testIds.template("self-refine")));
      await browser.keys(["Control", "Shift", "r"]);
      await shown(browser, '[data-testid^="run-row-"]');
      await withoutToast(browser);
      await browser.$$('[data-testid^="run-row-"]')[1]?.click();
      // The run that was shown before also has a list of this name, which disappears.
      await sleep(500);
      await chooseOptionAt(browser, byId("compare-with"), 2);
      await shown(browser, byId("run-compare"));
      await sleep(1000);
      await savePicture(window, `4-history-${theme}`);
    });
  });

  test("what nodes look like: waiting, skipped, failed; a menu at a wire's end; nothing at all", async () => {
    await inWindow(folderWith({ theme }), async (window) => {
      const { browser } = window;
      await openFile(window, writeFlow(window, "publish.flow.json", publish));
      await startRun(browser);
      await closeApproval(browser);
      await shown(browser, byId(testIds.approve("ask")));
      await settled(window);
      await savePicture(window, `7-waiting-${theme}`);
      await click(browser, byId(testIds.approve("ask")));
      await shown(browser, byId(testIds.runButton));
      await openFile(window, writeFlow(window, "invoice.flow.json", failing));
      await startRun(browser);
      expect(await runEnds(browser)).toBe("failed");
      await settled(window);
      await savePicture(window, `7-failed-${theme}`);
      await click(browser, byId(testIds.viewEdit));
      await atRest(browser);
      const end = await middleOf(browser, socket("letter", "output", "source"));
      await drag(browser, end, { x: end.x - 60, y: end.y + 130 });
      await shown(browser, byId(testIds.quickAdd));
      await savePicture(window, `7-quick-add-${theme}`);
      await browser.keys("Escape");
      await deselect(browser);
      await selectNode(browser, "total");
      await browser.keys("Delete");
      await shown(browser, byId(testIds.toast));
      await deselect(browser);
      await browser.keys(["Control", "a"]);
      await browser.keys("Delete");
      await sleep(400);
      await savePicture(window, `7-empty-${theme}`);
    });
  });
});

test("Agentic Search, after it has found its answer", async () => {
  await inWindow(folderWith({ theme: "light" }), async (window) => {
    const { browser } = window;
    await openTemplate(browser, "agentic-search");
    await startRun(browser);
    expect(await runEnds(browser)).toBe("done");
    await click(browser, byId(testIds.timelineSegment(2)));
    await shown(browser, byId("run-output-answer"));
    await settled(window);
    await savePicture(window, "agentic-search");
  });
});

/** The maximum frames per second of the animation, its width in pixels, and its maximum size in bytes. */
const MOVING = { perSecond: 5, width: 960, bytes: 3_000_000 };

test("a loop running, as a moving picture", async () => {
  await inWindow(folderWith({ theme: "dark", ...asking(writer.address) }), async (window) => {
    const { browser } = window;
    const frames = mkdtempSync(path.join(tmpdir(), "loopwright-frames-"));
    try {
      await openFile(window, writeFlow(window, "self-refine.flow.json", selfRefine(3)));
      await deselect(browser);
      const taken: { file: string; at: number }[] = [];
      const take = async () => {
        const begun = Date.now();
        const name = `frame-${String(taken.length).padStart(3, "0")}`;
        const file = path.join(frames, `${name}.xwd`);
        // The page draws only while the driver queries it. The dumps of the display are converted at the end.
        await browser.executeAsync((done: () => void) => {
          setTimeout(done, 200);
          requestAnimationFrame(() => requestAnimationFrame(() => done()));
        });
        copyFileSync(inject("screen"), file);
        taken.push({ file, at: begun });
        await sleep(Math.max(0, 1000 / MOVING.perSecond - (Date.now() - begun)));
      };
      for (let i = 0; i < 4; i++) await take();
      await startRun(browser);
      await selectNode(browser, "draft");
      await choose(browser, "How the output is shown", "Diff with previous");
      const running = () => browser.$(byId("run-state")).isExisting();
      while (taken.length < 150 && (await running())) await take();
      for (let i = 0; i < 8; i++) await take();
      // At the original speed, a busy machine records fewer frames.
      const hundredths = (i: number) => {
        const here = taken[i]?.at ?? 0;
        return Math.round(((taken[i + 1]?.at ?? here + 1500) - here) / 10);
      };
      const moving = path.join(IMAGES, "loop-running.webp");
      execFileSync("convert", [
        ...["-loop", "0", ...taken.flatMap(({ file }, i) => ["-delay", String(hundredths(i)), file])],
        ...["-resize", `${MOVING.width}x`, "-quality", "82", "-define", "webp:method=4", moving],
      ]);
      expect(statSync(moving).size).toBeLessThan(MOVING.bytes);
      expect(taken.length).toBeGreaterThan(12);
    } finally {
      rmSync(frames, { recursive: true, force: true });
    }
  });
});
