// The user leaves a run alone: the computer is kept awake, the status bar says so, the desktop notifies the
// user when the run is done and when another one waits, and a click on the second notification shows that run
// at the waiting step.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { type Desktop, startDesktop } from "../support/desktop";
import { byId, click, openTemplate, runEnds, startRun, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, type Window } from "../support/window";

const asking = {
  schemaVersion: 1,
  name: "Asking",
  nodes: row(
    ["text", "input", { label: "Text", name: "text", default: "hello" }],
    ["ask", "approval", { label: "Ask", message: "Publish it?" }],
    ["done", "output", { label: "Done", name: "done" }],
  ),
  edges: wires("text.value -> ask.input", "ask.approved -> done.value"),
};

let desktop: Desktop;
let model: SlowModel;
let window: Window;
let folder: string;
beforeAll(async () => {
  desktop = await startDesktop();
  model = await startSlowModel(40);
  folder = folderUsing(model);
  // The window of a test is always in front, so that only runs that took long enough are announced.
  const file = path.join(folder, "data/settings.json");
  const settings = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...settings, notifications: { afterSeconds: 0 } }));
  window = await openWindow({ display: inject("display"), folder, env: desktop.env });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  desktop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const keptAwake = () => window.browser.$(byId(testIds.keptAwake));

test("the computer is kept awake while a run is active", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  expect(await keptAwake().isExisting()).toBe(false);
  await startRun(browser);
  expect(await desktop.asked("inhibit")).toBe("inhibit idle by Loopwright because Runs are active, block");
  await keptAwake().waitForDisplayed({ timeoutMsg: "the status bar does not say it" });
  expect(await keptAwake().getText()).toBe("Kept awake while a run is active");
  await window.pictures("kept-awake");
  expect(await runEnds(browser)).toBe("done");
  await desktop.asked("released");
  expect(await desktop.asked("is done")).toContain("“Self-Refine” is done | It ran for ");
  await keptAwake().waitForExist({ reverse: true, timeoutMsg: "the status bar still says it" });
});

test("a run that waits in another tab is marked, and a click on its notification shows it", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "asking.flow.json", asking));
  await click(browser, byId(testIds.runButton));
  const told = await desktop.asked("waits for you");
  expect(told).toContain("“Asking” waits for you | The step ask needs an answer. | default,Open | 2");
  expect(told).not.toContain("Publish");
  await click(browser, `${byId(testIds.tab("Self-Refine"))} button`);
  const waiting = browser.$(`${byId(testIds.tab("asking.flow.json"))} button`);
  await browser.waitUntil(
    async () => ((await waiting.getAttribute("aria-label")) ?? "").includes("waits for your answer"),
    { timeoutMsg: "its tab has no mark" },
  );
  await window.pictures("waits-in-another-tab");
  await browser.keys(["Control", ","]);
  await click(browser, byId("settings-runs"));
  await browser.$(byId("settings-keep-awake")).waitForDisplayed();
  await browser.$(byId("settings-notify-after")).scrollIntoView();
  await window.pictures("unattended-settings");
  desktop.click(Number(/^notification (\d+) /.exec(told)?.[1]));
  await browser.waitUntil(async () => (await wholeText(browser, "body")).includes("Publish it?"), {
    timeout: 15_000,
    timeoutMsg: "the click does not show the run",
  });
  const current = browser.$('[aria-label="Open flows"] [aria-current]');
  expect(await current.getAttribute("aria-label")).toContain("waits for your answer");
});

test("the computer may sleep if the person says so", async () => {
  const { browser } = window;
  await browser.keys(["Control", ","]);
  await click(browser, byId("settings-runs"));
  await click(browser, byId("settings-keep-awake"));
  await click(browser, byId("settings-notify"));
  await browser.keys("Escape");
  const before = desktop.log.length;
  await click(browser, `${byId(testIds.tab("Self-Refine"))} button`);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(desktop.log.slice(before)).toEqual([]);
});
