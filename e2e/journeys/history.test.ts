// The history in the real window: a template is run, found again, compared, forked with another text,
// exported and deleted.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  atRest,
  byId,
  choose,
  click,
  fill,
  openTemplate,
  runEnds,
  selectNode,
  startRun,
  textOf,
} from "../support/editor";
import { chooseOptionAt } from "../support/list";
import { isSound } from "../support/sound";
import { openWindow, type Window } from "../support/window";

const FIRST = "The the shipment are late.";
const SECOND = "The the bridge were closed.";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const rows = () => window.browser.$$('[data-testid^="run-row-"]');

async function rowCount(count: number): Promise<void> {
  await window.browser.waitUntil(async () => (await rows().length) === count, {
    timeout: 10_000,
    timeoutMsg: `the list does not show ${count} runs`,
  });
}

async function search(text: string): Promise<void> {
  await fill(window.browser, byId("run-search"), text || " ");
}

describe("the history", () => {
  test("lists the runs of this window", async () => {
    const { browser } = window;
    await openTemplate(browser, "self-refine");
    for (const text of [FIRST, SECOND]) {
      await fill(browser, byId(testIds.inputField("topic")), text);
      await startRun(browser);
      expect(await runEnds(browser)).toBe("done");
      await click(browser, byId(testIds.viewEdit));
    }
    await click(browser, byId(testIds.viewRuns));
    await rowCount(2);
    expect(await textOf(browser, byId("store-size"))).toMatch(/^2 runs kept, .+ of 1 GB$/);
  });

  test("is searched by inputs, and filtered", async () => {
    const { browser } = window;
    await search("shipment");
    await rowCount(1);
    await search("");
    await rowCount(2);
    await click(browser, '[aria-label="Filter by status"]');
    await browser.$('[role="menu"]').$("button*=failed").click();
    await rowCount(0);
    await browser.$("button=Clear the filters").click();
    await rowCount(2);
  });

  test("finds a run again by its name and its star", async () => {
    const { browser } = window;
    const [newest] = await rows();
    await newest?.click();
    await browser.keys("F2");
    await fill(browser, '[aria-label="Run name"]', "The better one");
    await browser.keys("Enter");
    const title = () => browser.execute(() => document.querySelector('[data-region="run"] h1')?.textContent);
    await browser.waitUntil(async () => (await title()) === "The better one");
    // The focus is back in the list.
    await browser.keys("s");
    await newest?.$('[aria-label="Starred"]').waitForExist({ timeout: 5_000 });
    await click(browser, byId("filter-starred"));
    await rowCount(1);
    await click(browser, byId("filter-starred"));
    await search("better");
    await rowCount(1);
    expect(await textOf(browser, byId(testIds.runName))).toBe("The better one");
    await window.picture("history-names");
    await search("");
    await rowCount(2);
    // The heading is now the run's name. The name can be cleared.
    await click(browser, '[aria-label="More about this run"]');
    await browser.$('[role="menu"]').$("button*=Rename").click();
    await browser.$('[aria-label="Run name"]').waitForDisplayed({ timeout: 5_000 });
    await browser.keys(["Backspace", "Enter"]);
    await browser.waitUntil(async () => (await title()) === "Self-Refine");
    await click(browser, '[aria-label="Remove the star"]');
  });

  test("shows iterations by node, for the keyboard as well", async () => {
    const { browser } = window;
    await rows()[0]?.click();
    const grid = browser.$('table[role="grid"]');
    await grid.waitForDisplayed({ timeout: 10_000 });
    expect(await browser.$$('[role="gridcell"]').length).toBeGreaterThanOrEqual(6);
    await browser.$('[role="gridcell"][tabindex="0"]').click();
    await browser.keys("ArrowRight");
    await browser.keys("ArrowDown");
    const here = await browser.$('[role="gridcell"][aria-selected="true"]').getAttribute("aria-label");
    expect(here).toMatch(/iteration 2/);
    await choose(browser, "Measure", "Tokens");
  });

  test("compares two runs", async () => {
    const { browser } = window;
    await chooseOptionAt(browser, byId("compare-with"), 1);
    const card = browser.$(byId("run-compare"));
    await card.$("h4*=Output").waitForExist({ timeout: 10_000 });
    expect(await card.$$("ins").length).toBeGreaterThan(0);
    expect(await card.$$("del").length).toBeGreaterThan(0);
    expect(await card.$("dt=input topic").isExisting()).toBe(true);
    await window.picture("history");
    await isSound(browser, "two runs side by side");
    await browser.$('[aria-label="Close the comparison"]').click();
  });

  test("replays a run without asking anything again", async () => {
    const { browser } = window;
    await click(browser, '[aria-label="More about this run"]');
    await browser.$('[role="menu"]').$("button*=Replay and verify").click();
    const toast = browser.$(byId(testIds.toast));
    await toast.waitForDisplayed({ timeout: 10_000 });
    expect(await toast.getText()).toContain("Replayed: every value is the same");
    await toast.$('[aria-label="Dismiss"]').click();
  });

  test("forks a run with another text, and keeps the original run", async () => {
    const { browser } = window;
    await click(browser, byId("open-on-canvas"));
    await browser.$(byId("run-status")).waitForDisplayed({ timeout: 10_000 });
    await atRest(browser);
    await selectNode(browser, "draft");
    await click(browser, byId(testIds.iterationPip(2)));
    await click(browser, byId("fork-from-here"));
    const costs = browser.$(byId("fork-costs"));
    await costs.waitForDisplayed({ timeout: 10_000 });
    expect(await costs.getText()).toMatch(/^Reuses 2 calls\./);
    const field = browser.$(byId("fork-value"));
    await field.click();
    await browser.keys(["Control", "a"]);
    await field.addValue("A bridge was closed.");
    await window.picture("fork");
    await click(browser, byId("fork-run"));
    await browser.waitUntil(async () => !(await browser.$(byId("fork")).isExisting()), {
      timeout: 10_000,
      timeoutMsg: "the fork does not start",
    });
    await atRest(browser);
    await selectNode(browser, "draft");
    await browser.waitUntil(
      async () => {
        await click(browser, byId(testIds.iterationPip(2)));
        return (await textOf(browser, byId("output-text"))).startsWith("A bridge was closed");
      },
      { timeout: 30_000, timeoutMsg: "the fork does not begin with the given text" },
    );
    await click(browser, byId(testIds.viewRuns));
    await rowCount(3);
    expect(await browser.$$('[role="option"] [data-tip^="A fork"]').length).toBe(1);
    // The fork is listed below its parent run.
    const depths = await browser.execute(() =>
      [...document.querySelectorAll<HTMLElement>('[data-region="runs"] [role="option"]')].map((row) =>
        row.hasAttribute("data-under-parent"),
      ),
    );
    expect(depths.filter(Boolean)).toHaveLength(1);
    expect(depths[0]).toBe(false);
  });

  test("exports a run, deletes it, and imports it again", async () => {
    const { browser } = window;
    const file = path.join(window.folder, "exported.run.json");
    await search("shipment");
    await rowCount(1);
    await rows()[0]?.click();
    window.answerDialog(file);
    await click(browser, byId("export-run"));
    await browser.waitUntil(() => existsSync(file), { timeout: 10_000, timeoutMsg: "no file was written" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ format: "loopwright-run" });

    await click(browser, '[aria-label="More about this run"]');
    await browser.$('[role="menu"]').$("button*=Delete").click();
    await browser.$("dialog[open]").$("button=Delete").click();
    await rowCount(0);
    window.answerDialog(file);
    await click(browser, byId("import-run"));
    await rowCount(1);
  });
});
