// The process that draws the page crashes during a run: the view returns with what was open, and follows the
// run. A process that hangs does not keep the window from closing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openTemplate, startRun } from "../support/editor";
import { type FastModel, startFastModel } from "../support/fast-model";
import { announces, type Bus, startBus, whatIsMissing } from "../support/screen-reader";
import { folderUsing } from "../support/slow-model";
import { webProcesses } from "../support/web-process";
import { openWindow, remove, type Window } from "../support/window";

let model: FastModel;
let window: Window;
let folder: string;
let log: string;
let bus: Bus | null = null;
const missing = whatIsMissing();
if (missing !== null) console.log(`NOT TESTED: that a view is restored; ${missing} is missing`);

beforeAll(async () => {
  if (missing === null) bus = await startBus(inject("display"));
  model = await startFastModel(20, 60);
  folder = folderUsing(model);
  log = path.join(mkdtempSync(path.join(tmpdir(), "loopwright-log-")), "log");
  window = await openWindow({ display: inject("display"), folder, log, env: bus?.env });
});
afterAll(async () => {
  await window?.close();
  await bus?.stop();
  model?.stop();
  remove(folder);
});

/**
 * Waits until the window announces this text to a screen reader. The driver cannot be used, because it ends
 * with the process that it drives.
 */
async function says(words: string): Promise<void> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const read = bus?.read() ?? [];
    if (read.some((one) => announces(one, words))) return;
    if (Date.now() > deadline) throw new Error(`nothing says “${words}”: ${readFileSync(log, "utf8")}`);
    await sleep(200);
  }
}

test.skipIf(missing !== null)("the view is restored, and the run continues", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  const [first, ...more] = webProcesses(folder);
  if (first === undefined || more.length > 0) throw new Error("a window has one web process");
  process.kill(first, "SIGKILL");
  // A new process shows the flow with its run, and the iterations that ran in the meantime.
  await says("Refine, Loop, running");
  expect(webProcesses(folder)).not.toContain(first);
  await says("Iteration 2, ");
});

test("a page that hangs does not keep the window open", async () => {
  const [hung] = webProcesses(folder);
  if (hung === undefined) throw new Error("there is no web process");
  process.kill(hung, "SIGSTOP");
  const begun = Date.now();
  execFileSync(
    "python3",
    [path.join(import.meta.dirname, "../support/ask_to_close.py"), "loopwright-desktop"],
    { env: { ...process.env, DISPLAY: inject("display") } },
  );
  while (webProcesses(folder).length > 0) {
    if (Date.now() - begun > 20_000)
      throw new Error(`the window does not close: ${readFileSync(log, "utf8")}`);
    await sleep(100);
  }
  expect(Date.now() - begun).toBeGreaterThan(2500);
});
