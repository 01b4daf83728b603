// A run with costs: paused and continued, stopped at its budget, and resumed with a larger one.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, fill, runEnds, startRun, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: SlowModel;
let window: Window;

const flow = {
  name: "Costs",
  // The budget covers the greatest possible cost of one call, and the real cost of one or two calls.
  settings: { budget: { usd: 0.012 } },
  nodes: row(
    ["topic", "input", { name: "topic", default: "Why bread rises, in a few words." }],
    ["refine", "loop", { maxIterations: 3, exitCondition: "max_iterations" }],
    ["draft", "llm", { prompt: "{{ input }}", maxTokens: 100 }],
    ["exit", "exit"],
    ["out", "output", { name: "out" }],
  ),
  edges: wires(
    "topic.value -> refine.input",
    "refine.body -> draft.prompt",
    "draft.response -> exit.input",
    "draft.response -> refine.feedback",
    "exit.output -> out.value",
  ),
};

beforeAll(async () => {
  // A call takes some five seconds, enough to press Pause in the middle of it, even on a busy machine.
  model = await startSlowModel(200);
  const folder = folderUsing(model);
  const price = {
    provider: "openai",
    model: "slow",
    input: 1,
    output: 100,
    asOf: "2026-01-01",
    source: "a test",
  };
  writeFileSync(path.join(folder, "data", "prices.json"), JSON.stringify({ prices: [price] }));
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  if (window) remove(window.folder);
});

test("shows its largest possible cost before it starts", async () => {
  const { browser } = window;
  await openFile(window, writeFlow(window, "costs.flow.json", flow));
  await browser.waitUntil(
    async () => /up to 3 calls · ≤ \$0\.0\d+/.test(await textOf(browser, byId(testIds.callEstimate))),
    { timeout: 10_000, timeoutMsg: "the largest possible cost is not shown" },
  );
});

test("is paused and resumed, stops at its budget, and continues with a larger one", async () => {
  const { browser } = window;
  await startRun(browser);
  await click(browser, byId("pause-button"));
  await browser.waitUntil(async () => (await textOf(browser, byId("run-state"))) === "Paused", {
    timeout: 20_000,
    timeoutMsg: "the run is not paused",
  });
  await click(browser, byId("continue-button"));
  await browser.waitUntil(async () => (await browser.$(byId("run-status")).getText()) === "failed", {
    timeout: 60_000,
    timeoutMsg: "the run does not stop at its budget",
  });
  await browser.$(byId("budget-meter")).waitForDisplayed();
  await window.picture("budget-reached");
  await click(browser, byId("larger-budget"));
  await fill(browser, byId("larger-usd"), "0.5");
  await window.picture("larger-budget");
  await click(browser, byId("larger-go"));
  await browser.waitUntil(async () => (await browser.$(byId("run-status")).getText()) === "running", {
    timeout: 10_000,
    timeoutMsg: "the run does not continue",
  });
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId("budget-meter"))).toContain("of $0.50");
});
