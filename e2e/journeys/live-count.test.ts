// Every count of a running loop is really painted, one after the other, while a slow model answers.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openTemplate, runEnds, startRun, watchCounts } from "../support/editor";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: SlowModel;
let window: Window;
beforeAll(async () => {
  model = await startSlowModel(120);
  window = await openWindow({ display: inject("display"), folder: folderUsing(model) });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

test("the badge is painted with 1, then 2, then 3", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  const seen = await watchCounts(browser, "refine", 3);
  expect([...seen.keys()]).toEqual(["Iteration 1 / 3", "Iteration 2 / 3", "Iteration 3 / 3"]);
  expect(new Set(seen.values()).size, "three different pictures").toBe(3);
  expect(await runEnds(browser)).toBe("done");
});
