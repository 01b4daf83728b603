// Two flows are open when the program is killed, and a run of the one in the background is in progress. It is
// resumed in its own tab.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, flowIsOpen, startRun, wholeText } from "../support/editor";
import { greeting, openFile, row, wires, writeFlow } from "../support/flows";
import { folderUsing, type SlowModel, startSlowModel } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

let model: SlowModel;
let window: Window;
let folder: string;
beforeAll(async () => {
  // An answer takes long enough to open another flow meanwhile, even on a busy computer.
  model = await startSlowModel(250);
  folder = folderUsing(model);
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  remove(folder);
});

const inFront = () => wholeText(window.browser, '[aria-label="Open flows"] [data-current]');

test("a run is resumed in the tab of its flow, not in the active tab", async () => {
  const asks = writeFlow(window, "asks.flow.json", {
    name: "Asks",
    nodes: row(
      ["who", "input", { name: "who", default: "What is bread?" }],
      ["ask", "llm", { prompt: "{{ who }}", whenInterrupted: "repeat" }],
      ["said", "output", { name: "said" }],
    ),
    edges: wires("who.value -> ask.prompt", "ask.response -> said.value"),
  });
  const other = writeFlow(window, "other.flow.json", greeting());
  await openFile(window, asks);
  await startRun(window.browser);
  await window.browser
    .$(`${byId(testIds.node("ask"))} ${byId(testIds.stream)}`)
    .waitForDisplayed({ timeout: 20_000 });
  await openFile(window, other);
  expect(await inFront()).toContain("other.flow.json");
  await window.kill();

  window = await openWindow({ display: inject("display"), folder });
  const { browser } = window;
  await flowIsOpen(browser);
  expect(await inFront()).toContain("other.flow.json");
  await click(browser, '//button[.="Show"]');
  await click(browser, byId("resume-run"));
  await browser.waitUntil(async () => (await inFront()).includes("asks.flow.json"), {
    timeout: 10_000,
    timeoutMsg: "the tab of its flow is not brought to the front",
  });
  await browser.waitUntil(
    async () => (await wholeText(browser, '[aria-label="Inspector"]')).includes("done"),
    {
      timeout: 30_000,
      timeoutMsg: "the run is not resumed",
    },
  );
  await window.picture("resumed-in-its-tab");
});
