// A Loop without its Exit reports this, cannot be run, and is repaired with one click.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  deselect,
  fill,
  nodes,
  openEmptyCanvas,
  place,
  runEnds,
  startRun,
  textOf,
  wire,
  wires,
} from "../support/editor";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("a Loop without an Exit is reported, mended by its fix, and runs", async () => {
  const { browser } = window;
  await openEmptyCanvas(browser);
  const input = await place(browser, "input", { x: 310, y: 200 });
  const loop = await place(browser, "loop", { x: 560, y: 200 });
  const transform = await place(browser, "transform", { x: 840, y: 200 });
  await place(browser, "output", { x: 1000, y: 520 });
  await wire(browser, [input, "value"], [loop, "input"]);
  await wire(browser, [loop, "body"], [transform, "input"]);

  await click(browser, byId(testIds.validateButton));
  const problem = browser.$(byId(testIds.problem("no_end")));
  await problem.waitForDisplayed({ timeoutMsg: "the missing Exit is not reported" });
  await window.picture("missing-exit");
  expect(await browser.$(byId(testIds.runButton)).getAttribute("aria-disabled")).toBe("true");

  const before = await nodes(browser);
  await click(browser, byId(testIds.problemFix("no_end")));
  await browser.waitUntil(async () => (await nodes(browser)).length === before.length + 1, {
    timeoutMsg: "the fix adds no node",
  });
  await problem.waitForExist({ reverse: true, timeoutMsg: "the problem stays after its fix" });
  await window.picture("exit-added");

  // The new Exit is between the loop's body and the Output that had no wire.
  expect(await wires(browser)).toHaveLength(4);
  await deselect(browser);
  await fill(browser, '[data-testid^="input-field-"]', "again and again");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, '[data-testid^="run-output-"]')).toContain("again and again");
});
