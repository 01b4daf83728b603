// The selection and the clipboard: one of several nodes, a collapsed node, text that is not a flow; and a
// file that is deleted while it is open.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, commandList, fill, nodes, selectNode, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { drag, middleOf, pressAt } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "refine.flow.json", {
    name: "Refine",
    nodes: row(
      ["topic", "input", { label: "Topic", name: "topic", default: "a" }],
      ["refine", "loop", { label: "Refine", maxIterations: 3, exitCondition: "max_iterations" }],
      ["add", "transform", { label: "Add", template: "{{ input }}x" }],
      ["exit", "exit", { label: "Exit" }],
      ["out", "output", { label: "Out", name: "out" }],
    ),
    edges: wires(
      "topic.value -> refine.input",
      "refine.body -> add.input",
      "add.output -> exit.input",
      "exit.output -> out.value",
    ),
  });
  await openFile(window, file);
  await card("add").waitForDisplayed({ timeout: 10_000 });
  await atRest(window.browser);
});
afterAll(() => window?.close());

const card = (id: string) => window.browser.$(`.react-flow__node[data-id="${id}"]`);
const chosen = (): Promise<string[]> =>
  window.browser.execute(() =>
    [...document.querySelectorAll(".react-flow__node.selected")].map((n) => n.getAttribute("data-id") ?? ""),
  );
const status = () => textOf(window.browser, '[data-region="status"]');
const chosenAre = (...ids: string[]) =>
  window.browser.waitUntil(async () => (await chosen()).sort().join() === ids.sort().join(), {
    timeout: 5_000,
    timeoutMsg: `not ${ids.join()} are chosen`,
  });
const focusOnCanvas = () =>
  window.browser.execute(() => document.querySelector<HTMLElement>('[data-region="canvas"]')?.focus());

test("a click on one of several selected nodes selects only that one, and a click on the canvas selects none", async () => {
  const { browser } = window;
  await focusOnCanvas();
  await browser.keys(["Control", "a"]);
  await chosenAre("topic", "refine", "add", "exit", "out");
  await pressAt(browser, await middleOf(browser, '.react-flow__node[data-id="add"] article > header'));
  await chosenAre("add");
  const { x, y } = await middleOf(browser, '.react-flow__node[data-id="add"]');
  await pressAt(browser, { x, y: y + 220 });
  await chosenAre();
  expect(await status()).not.toContain("selected");
});

test("a press on one of the nodes that a box selected selects only that node", async () => {
  const { browser } = window;
  const head = (id: string) => middleOf(browser, `.react-flow__node[data-id="${id}"] article > header`);
  const [from, to] = [await head("topic"), await head("refine")];
  await drag(browser, { x: from.x, y: from.y - 60 }, { x: to.x, y: to.y + 10 });
  await chosenAre("topic", "refine");
  await pressAt(browser, await head("topic"));
  await chosenAre("topic");
  await pressAt(browser, { x: from.x, y: from.y - 60 });
  await chosenAre();
});

test("finding a node in a folded loop unfolds the loop", async () => {
  const { browser } = window;
  await selectNode(browser, "refine");
  await focusOnCanvas();
  await browser.keys("f");
  await card("add").waitForExist({ reverse: true, timeout: 5_000, timeoutMsg: "the loop is not folded" });
  await browser.keys(["Control", "k"]);
  await browser.$(`${commandList} input`).waitForDisplayed({ timeout: 5_000 });
  for (const key of "@add") await browser.keys(key);
  await browser.keys("Enter");
  await card("add").waitForDisplayed({ timeout: 5_000, timeoutMsg: "the loop stays folded" });
  await chosenAre("add");
  await atRest(browser);
  const seen = await browser.execute(() => {
    const box = document.querySelector('.react-flow__node[data-id="add"]')?.getBoundingClientRect();
    const canvas = document.querySelector('[data-region="canvas"]')?.getBoundingClientRect();
    return !!box && !!canvas && box.left >= canvas.left && box.right <= canvas.right && box.top >= canvas.top;
  });
  expect(seen).toBe(true);
});

test("a text that is not a flow is not pasted, and neither are nodes copied before it", async () => {
  const { browser } = window;
  const before = await nodes(browser);
  await focusOnCanvas();
  await browser.keys(["Control", "a"]);
  await browser.keys(["Control", "c"]);
  await selectNode(browser, "topic");
  await fill(browser, `${byId("field-default")} textarea, ${byId("field-default")} input`, "only words");
  await browser.keys(["Control", "a"]);
  await browser.keys(["Control", "c"]);
  await focusOnCanvas();
  await browser.keys(["Control", "v"]);
  await browser.waitUntil(
    async () => (await textOf(browser, byId(testIds.toasts))).includes("no nodes on the clipboard"),
    {
      timeout: 5_000,
      timeoutMsg: "the message is not shown",
    },
  );
  expect(await nodes(browser)).toEqual(before);
  await focusOnCanvas();
  await browser.keys(["Control", "a"]);
  await browser.keys(["Control", "c"]);
  await browser.keys(["Control", "v"]);
  await browser.waitUntil(async () => (await nodes(browser)).length === 2 * before.length, {
    timeout: 5_000,
    timeoutMsg: "the copied nodes were not pasted",
  });
  await browser.keys(["Control", "z"]);
  await browser.waitUntil(async () => (await nodes(browser)).length === before.length);
  await browser.keys(["Control", "s"]);
  await browser.waitUntil(async () => (await status()).includes("Saved"));
});

test("a missing file is reported, and its flow is not closed without a question", async () => {
  const { browser } = window;
  rmSync(file);
  await browser.execute(() => globalThis.dispatchEvent(new Event("focus")));
  await browser.waitUntil(
    async () => (await textOf(browser, byId(testIds.toasts))).includes("was moved or deleted"),
    {
      timeout: 5_000,
      timeoutMsg: "the message is not shown",
    },
  );
  await window.picture("file-gone");
  expect(await status()).toContain("Unsaved changes");
  await focusOnCanvas();
  await browser.keys(["Control", "w"]);
  await browser.$("dialog[open]").waitForDisplayed({ timeout: 5_000, timeoutMsg: "closing does not ask" });
  await browser.keys("Escape");
  await click(browser, byId(testIds.saveButton));
  await browser.waitUntil(async () => (await status()).includes("Saved"), {
    timeoutMsg: "the flow is not saved",
  });
});
