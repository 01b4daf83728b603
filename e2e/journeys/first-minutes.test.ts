// The first minutes of a user who has read nothing: a loop of a model and a Router is built by pointer, with
// a server that sends reasoning, is busy once and fails once. The loop stops when the Router says so, and is
// opened again with its input.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  deselect,
  fill,
  openEmptyCanvas,
  place,
  runEnds,
  selectNode,
  startRun,
  textOf,
  wholeText,
  wire,
} from "../support/editor";
import { openFile } from "../support/flows";
import { type JudgeModel, startJudgeModel } from "../support/judge-model";
import { folderUsing } from "../support/slow-model";
import { openWindow, remove, type Window } from "../support/window";

const TOPIC = "The tides of the Talvane Islands";

let model: JudgeModel;
let folder: string;
let window: Window;
const ids = { input: "", loop: "", llm: "", router: "", exit: "", output: "" };
beforeAll(async () => {
  model = await startJudgeModel([
    { status: 429, retryAfter: 1 },
    { text: '<think>\nThe user wants a text. {"draft": true}?\n</think>\n\nTides rise.' },
    { text: '<think>Is it long enough? No.</think>{"branch": "Continue", "reason": "It is too short."}' },
    { status: 500 },
    { text: "<think>Longer now.</think>Tides rise and fall twice a day." },
    { text: "**Done.**" },
  ]);
  folder = folderUsing(model);
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  model?.stop();
  remove(folder);
});

test("a loop that is built by pointer survives a busy server and stops when the Router says so", async () => {
  const { browser } = window;
  await openEmptyCanvas(browser);
  ids.input = await place(browser, "input", { x: 310, y: 200 });
  ids.loop = await place(browser, "loop", { x: 560, y: 200 });
  ids.llm = await place(browser, "llm", { x: 830, y: 200 });
  ids.router = await place(browser, "router", { x: 330, y: 480 });
  ids.exit = await place(browser, "exit", { x: 620, y: 500 });
  ids.output = await place(browser, "output", { x: 880, y: 500 });
  await wire(browser, [ids.input, "value"], [ids.loop, "input"]);
  await wire(browser, [ids.loop, "body"], [ids.llm, "prompt"]);
  await wire(browser, [ids.llm, "response"], [ids.router, "input"]);
  await wire(browser, [ids.router, "continue"], [ids.loop, "feedback"]);
  await wire(browser, [ids.exit, "output"], [ids.output, "value"]);
  await wire(browser, [ids.router, "done"], [ids.exit, "input"]);
  await selectNode(browser, ids.router);
  await choose(browser, "Mode", "Model");
  await deselect(browser);
  await fill(browser, '[data-testid^="input-field-"]', TOPIC);
  await window.picture("first-minutes-built");

  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await window.picture("first-minutes-done");
  // Four answers, and two repeated calls.
  expect(model.asked).toHaveLength(6);
  expect(await textOf(browser, '[data-testid^="run-output-"]')).toContain("Tides rise and fall twice a day.");
  expect(await wholeText(browser, byId("exit-reason"))).toBe("Evaluator satisfied");
  // Reasoning is not fed back.
  expect(model.asked[4]).toContain("Tides rise.");
  expect(model.asked[4]).not.toContain("The user wants");
});

test("it is saved and opened again with its input", async () => {
  const { browser } = window;
  const file = path.join(window.folder, "first.flow.json");
  await click(browser, byId(testIds.viewEdit));
  await deselect(browser);
  window.answerDialog(file);
  await browser.keys(["Control", "s"]);
  await browser.waitUntil(() => existsSync(file), { timeoutMsg: "the flow was not saved" });
  const loop = JSON.parse(readFileSync(file, "utf8")).nodes.find(({ id }: { id: string }) => id === ids.loop);
  expect(loop.data.exitCondition).toBe("evaluator");
  const field = '[data-testid^="input-field-"]';
  const shown = () =>
    browser.execute((at) => (document.querySelector(at) as HTMLTextAreaElement)?.value, field);
  await browser.waitUntil(async () => (await shown()) === TOPIC, {
    timeoutMsg: "the input is lost when the flow is saved",
  });
  await window.close();
  window = await openWindow({ display: inject("display"), folder });
  await openFile(window, file).catch(() => undefined);
  await window.browser.waitUntil(
    async () =>
      (await window.browser.execute(
        (at) => (document.querySelector(at) as HTMLTextAreaElement)?.value,
        field,
      )) === TOPIC,
    { timeout: 20_000, timeoutMsg: "the input is lost when the flow is opened again" },
  );
  expect(await wholeText(window.browser, byId(testIds.node(ids.loop)))).toMatch(/evaluator/i);
  await window.picture("first-minutes-again");
});
