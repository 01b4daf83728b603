// The user leaves a run: to edit the flow, by closing its tab, by closing the window. The run can be found,
// stopped and resumed.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { type Desktop, startDesktop } from "../support/desktop";
import { byId, click, openTemplate, runEnds, startRun, wholeText } from "../support/editor";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let desktop: Desktop | undefined;
let model: SlowModel;
let slower: SlowModel | undefined;
let window: Window;
let folder: string;
beforeAll(async () => {
  model = await startSlowModel(120);
  folder = folderUsing(model);
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  desktop?.stop();
  model?.stop();
  slower?.stop();
  remove(folder);
});

const begun = () =>
  window.browser.waitUntil(
    async () => (await window.browser.$(byId(testIds.loopBadge("refine"))).getText()) === "Iteration 2 / 3",
    { timeout: 60_000, interval: 50, timeoutMsg: "the second iteration does not begin" },
  );

const askToClose = () =>
  execFileSync(
    "python3",
    [path.join(import.meta.dirname, "../support/ask_to_close.py"), "loopwright-desktop"],
    {
      env: { ...process.env, DISPLAY: inject("display") },
      stdio: "pipe",
    },
  );

/** Asks a window to close. Returns false if no window is open. */
function isAskedToClose(): boolean {
  try {
    askToClose();
    return true;
  } catch {
    return false;
  }
}

/** Waits until the program no longer has a window. */
const hasNoWindow = ({ browser }: Window) =>
  browser.waitUntil(
    () =>
      browser.getTitle().then(
        () => false,
        () => true,
      ),
    { timeout: 10_000, timeoutMsg: "the window does not close" },
  );

const status = (browser: Window["browser"]) =>
  browser.execute(
    () => document.querySelector('[aria-label="Inspector"] [data-testid="run-status"]')?.textContent,
  );

const answer = (label: string) => window.browser.$("dialog[open]").$(`button=${label}`);

test("the flow can be edited while it runs, and the run be shown again", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  await browser.keys(["Control", "e"]);
  const chip = browser.$(`button${byId("run-state")}`);
  await chip.waitForDisplayed({ timeoutMsg: "there is no way back to the run" });
  expect(await browser.$(byId(testIds.validateButton)).isDisplayed()).toBe(true);
  await chip.click();
  await browser.$(byId("run-status")).waitForDisplayed();
});

test("a run whose tab was closed is found, and can be stopped", async () => {
  const { browser } = window;
  await begun();
  await browser.keys(["Control", "w"]);
  await answer("Let it run").waitForDisplayed({
    timeoutMsg: "the window does not ask what to do with the run",
  });
  await answer("Let it run").click();
  await browser.keys(["Control", "Shift", "r"]);
  await browser.$('[data-testid^="run-row-"]').click();
  await click(browser, byId("open-on-canvas"));
  await click(browser, byId(testIds.stopButton));
  expect(await runEnds(browser, 15_000)).toBe("stopped");
});

test("a window that is closed asks about its run, which continues in the background", async () => {
  const { browser } = window;
  await click(browser, '[aria-label="Templates and recent files"]');
  await openTemplate(browser, "self-refine");
  await click(browser, byId(testIds.runButton));
  await begun();
  askToClose();
  await answer("Cancel").waitForDisplayed({ timeoutMsg: "the window does not ask what to do with the run" });
  await answer("Cancel").click();
  expect(await browser.$(byId("run-status")).getText()).toBe("running");
  askToClose();
  await answer("Keep running in the background").waitForDisplayed();
  await window.picture("leave-run");
  await answer("Keep running in the background").click();
  await hasNoWindow(window);

  const before = window;
  window = await openWindow({ display: inject("display"), folder });
  const next = window.browser;
  await next.waitUntil(
    async () => (await wholeText(next, "body")).includes("1 run continues in the background"),
    { timeout: 10_000, timeoutMsg: "the run in the background is not offered" },
  );
  await click(next, '//button[.="Show"]');
  await next.waitUntil(async () => (await status(next)) === "done", {
    timeout: 60_000,
    timeoutMsg: "the run does not end in the background",
  });
  await before.close();
});

test("a run of a program that was killed is offered, and resumed", async () => {
  await click(window.browser, '[aria-label="Templates and recent files"]');
  await openTemplate(window.browser, "self-refine");
  await click(window.browser, byId(testIds.runButton));
  await begun();
  await window.kill();

  window = await openWindow({ display: inject("display"), folder });
  const next = window.browser;
  await next.waitUntil(async () => (await wholeText(next, "body")).includes("1 run was interrupted"), {
    timeout: 10_000,
    timeoutMsg: "the run is not offered",
  });
  await click(next, '//button[.="Show"]');
  expect(await wholeText(next, byId("recovery"))).toContain("Iteration 1 is saved");
  await click(next, byId("resume-run"));
  await next.waitUntil(async () => (await status(next)) === "done", {
    timeout: 30_000,
    timeoutMsg: "the run is not resumed",
  });
});

test("an icon in the tray opens the window again, and stops the runs", async () => {
  await window.close();
  const tray = await startDesktop();
  desktop = tray;
  // Its run must not end by itself before the icon is clicked.
  slower = await startSlowModel(150);
  const own = folderUsing(slower);
  const leave = async () => {
    window = await openWindow({ display: inject("display"), folder: own, env: tray.env });
    await openTemplate(window.browser, "self-refine");
    await click(window.browser, byId(testIds.runButton));
    await begun();
    askToClose();
    await answer("Keep running in the background").waitForDisplayed();
    await answer("Keep running in the background").click();
    await hasNoWindow(window);
  };
  await leave();
  await tray.asked("tray ");
  tray.clickTray();
  // The window that opens can be asked to close, and asks about its run.
  await expect.poll(() => isAskedToClose(), { timeout: 15_000, interval: 200 }).toBe(true);
  await window.close();

  const before = tray.log.length;
  await leave();
  await expect.poll(() => tray.log.slice(before).join("; "), { timeout: 10_000 }).toContain("tray ");
  tray.clickTray("Stop It and Quit");
  await window.ended();
  window = await openWindow({ display: inject("display"), folder: own });
  await click(window.browser, '//button[normalize-space(.)="Runs"]');
  const row = window.browser.$('[data-testid^="run-row-"]');
  await row.waitForDisplayed();
  expect(await row.getText()).toContain("stopped");
  await window.close();
  remove(own);
});
