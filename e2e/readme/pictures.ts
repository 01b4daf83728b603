// Takes pictures of every screen in both themes from the real window, and the README's moving one. They go to
// docs/images, and are committed. Run it with `npm run pictures`, after `npm test` has built the program.
//
// `LOOPWRIGHT_BESIDE=<folder>` lays each beside the picture in that folder whose name begins with the same number, in
// `e2e/pictures/beside`: to see how far the window is from a drawing of it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  deselect,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { type Browser, openWindow, root, type Window } from "../support/window";
import { startWriter, type Writer } from "./writer";

const IMAGES = path.join(root, "docs/images");
type Theme = "dark" | "light";

let writer: Writer;
beforeAll(async () => {
  mkdirSync(IMAGES, { recursive: true });
  writer = await startWriter(70);
});
afterAll(() => writer?.stop());

function folderWith(settings: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-pictures-"));
  mkdirSync(path.join(folder, "data"));
  writeFileSync(path.join(folder, "data/settings.json"), JSON.stringify(settings));
  return folder;
}

/** Opens a window for one walk through the screens; `slow`: prompts go to the writer. */
async function inWindow(theme: Theme, slow: boolean, walk: (window: Window) => Promise<void>): Promise<void> {
  const model = slow ? { provider: "openai", model: "writer", openaiBaseUrl: writer.address } : {};
  const folder = folderWith({ theme, ...model });
  const window = await openWindow({ display: inject("display"), folder });
  try {
    await walk(window);
  } finally {
    await window.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Keeps a picture of what is shown now. */
async function keep(window: Window, name: string): Promise<void> {
  const file = path.join(IMAGES, `${name}.png`);
  // A palette of 256 colours is enough for flat surfaces, and a third of the size.
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
  const beside = path.join(root, "e2e/pictures/beside");
  mkdirSync(beside, { recursive: true });
  execFileSync("convert", [path.join(folder, other), taken, "+append", path.join(beside, `${name}.png`)]);
}

/** Brings the whole flow into view, and the pointer out of it. */
async function settled({ browser }: Window): Promise<void> {
  await click(browser, '[aria-label="Fit view"]');
  await atRest(browser);
}

async function shown(browser: Browser, selector: string): Promise<void> {
  await browser.$(selector).waitForDisplayed({ timeout: 20_000, timeoutMsg: `${selector} is not shown` });
}

describe.each<Theme>(["dark", "light"])("%s", (theme) => {
  test("gallery, settings, the editor at rest and with problems", async () => {
    await inWindow(theme, false, async (window) => {
      const { browser } = window;
      await shown(browser, byId(testIds.template("self-refine")));
      await sleep(600);
      await keep(window, `5-gallery-${theme}`);
      await browser.keys(["Control", ","]);
      await shown(browser, ".setmain .card");
      await sleep(600);
      await keep(window, `6-settings-${theme}`);
      await click(browser, byId("settings-done"));
      await openTemplate(browser, "agentic-search");
      await settled(window);
      await selectNode(browser, "research");
      await keep(window, `1-editor-${theme}`);
      await browser.keys(["Control", "k"]);
      await shown(browser, ".command-list");
      await browser.keys([..."run"]);
      await sleep(400);
      await keep(window, `7-palette-${theme}`);
      await browser.keys("Escape");
      await deselect(browser);
      await selectNode(browser, "exit");
      await browser.keys("Delete");
      await click(browser, byId(testIds.validateButton));
      await shown(browser, ".plist2 .prob");
      await settled(window);
      await keep(window, `2-problems-${theme}`);
    });
  });

  test("a run on its way, gone back in, and its history", async () => {
    await inWindow(theme, true, async (window) => {
      const { browser } = window;
      await openTemplate(browser, "self-refine");
      await startRun(browser);
      await browser.waitUntil(
        async () => (await browser.$(byId(testIds.loopBadge("refine"))).getText()) === "Iteration 3 / 3",
        { timeout: 60_000, interval: 50, timeoutMsg: "the third iteration does not begin" },
      );
      await selectNode(browser, "draft");
      await sleep(1200);
      await keep(window, `3-running-${theme}`);
      expect(await runEnds(browser)).toBe("done");
      await choose(browser, "How the output is shown", "Plain");
      await outputOf(browser, 2);
      await choose(browser, "How the output is shown", "Compare to first");
      await shown(browser, byId(testIds.diffView));
      await settled(window);
      await keep(window, `3-compared-${theme}`);
      await click(browser, byId(testIds.viewRuns));
      await click(browser, '[data-testid^="run-row-"]');
      await sleep(1500);
      await keep(window, `4-history-${theme}`);
    });
  });
});

test("Agentic Search, after it has found its answer", async () => {
  await inWindow("light", false, async (window) => {
    const { browser } = window;
    await openTemplate(browser, "agentic-search");
    await startRun(browser);
    expect(await runEnds(browser)).toBe("done");
    await click(browser, byId(testIds.timelineSegment(2)));
    await shown(browser, byId("run-output-answer"));
    await settled(window);
    await keep(window, "agentic-search");
  });
});

/** Frames a second of the moving picture, its width in pixels, and the most bytes that it may have. */
const MOVING = { perSecond: 5, width: 960, bytes: 2_000_000 };

test("a loop running, as a moving picture", async () => {
  await inWindow("dark", true, async (window) => {
    const { browser } = window;
    const frames = mkdtempSync(path.join(tmpdir(), "loopwright-frames-"));
    try {
      await openTemplate(browser, "self-refine");
      await selectNode(browser, "draft");
      const taken: string[] = [];
      const take = async () => {
        const begun = Date.now();
        const name = `frame-${String(taken.length).padStart(3, "0")}`;
        const file = path.join(frames, `${name}.png`);
        copyFileSync(await window.picture("frame"), file);
        taken.push(file);
        await sleep(Math.max(0, 1000 / MOVING.perSecond - (Date.now() - begun)));
      };
      for (let i = 0; i < 4; i++) await take();
      await startRun(browser);
      const running = async () => (await browser.$(byId("run-status")).getText()) === "running";
      while (taken.length < 150 && (await running())) await take();
      for (let i = 0; i < 8; i++) await take();
      const moving = path.join(IMAGES, "loop-running.webp");
      execFileSync("convert", [
        ...["-delay", String(100 / MOVING.perSecond), "-loop", "0", ...taken],
        ...["-resize", `${MOVING.width}x`, "-quality", "62", "-define", "webp:method=4", moving],
      ]);
      expect(statSync(moving).size).toBeLessThan(MOVING.bytes);
      expect(taken.length).toBeGreaterThan(20);
    } finally {
      rmSync(frames, { recursive: true, force: true });
    }
  });
});
