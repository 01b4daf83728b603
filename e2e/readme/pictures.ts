// Takes the README's two pictures from the real window, into `docs/images`: `npm run pictures`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  atRest,
  byId,
  choose,
  click,
  openTemplate,
  outputOf,
  runEnds,
  selectNode,
  startRun,
} from "../support/editor";
import { openWindow, root, type Window } from "../support/window";

async function inTheme(theme: "dark" | "light", show: (window: Window) => Promise<void>, name: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-pictures-"));
  mkdirSync(path.join(folder, "data"));
  writeFileSync(path.join(folder, "data/settings.json"), JSON.stringify({ theme }));
  const window = await openWindow({ display: inject("display"), folder });
  try {
    await show(window);
    await click(window.browser, '[aria-label="Fit view"]');
    await atRest(window.browser);
    const images = path.join(root, "docs/images");
    mkdirSync(images, { recursive: true });
    copyFileSync(await window.picture(name), path.join(images, `${name}.png`));
  } finally {
    await window.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

test("Self-Refine, its last iteration compared with the first", async () => {
  await inTheme(
    "dark",
    async ({ browser }) => {
      await openTemplate(browser, "self-refine");
      await startRun(browser);
      expect(await runEnds(browser)).toBe("done");
      await selectNode(browser, "draft");
      await choose(browser, "How the output is shown", "Plain");
      await outputOf(browser, 2);
      await choose(browser, "How the output is shown", "Compare to first");
      await browser.$(byId(testIds.diffView)).waitForDisplayed();
    },
    "self-refine",
  );
});

test("Agentic Search, after it has found its answer", async () => {
  await inTheme(
    "light",
    async ({ browser }) => {
      await openTemplate(browser, "agentic-search");
      await startRun(browser);
      expect(await runEnds(browser)).toBe("done");
      await click(browser, byId(testIds.timelineSegment(2)));
      await browser.$(byId("run-output-answer")).waitForDisplayed();
    },
    "agentic-search",
  );
});
