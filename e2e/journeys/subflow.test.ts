// A flow within a flow: opened, edited in place, run and opened again, moved to a file and inlined.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, codeField, deselect, fill, nodes, selectNode, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { middleOf } from "../support/pointer";
import { type Browser, openWindow, type Window } from "../support/window";

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "letter.loop", {
    name: "Letter",
    nodes: row(
      ["who", "input", { label: "Who", name: "who", default: "Ada" }],
      [
        "polite",
        "subflow",
        {
          label: "Polite",
          flow: {
            schemaVersion: 1,
            name: "Polite",
            nodes: row(
              ["name", "input", { label: "Name", name: "name" }],
              ["greet", "transform", { label: "Greet", template: "Dear {{ input }}" }],
              ["text", "output", { label: "Text", name: "text" }],
            ),
            edges: wires("name.value -> greet.input", "greet.output -> text.value"),
          },
        },
      ],
      ["letter", "output", { label: "Letter", name: "letter" }],
    ),
    edges: wires("who.value -> polite.name", "polite.text -> letter.value"),
  });
});
afterAll(() => window?.close());

async function doubleClick(browser: Browser, id: string): Promise<void> {
  await atRest(browser);
  const at = await middleOf(browser, `${byId(testIds.node(id))} header`);
  const press = () =>
    browser.action("pointer", { parameters: { pointerType: "mouse" } }).move({ ...at, duration: 0 });
  await press().down().up().pause(40).down().up().perform();
}

async function expectNodes(browser: Browser, ...ids: string[]): Promise<void> {
  await browser.waitUntil(async () => (await nodes(browser)).sort().join() === ids.sort().join(), {
    timeout: 10_000,
    timeoutMsg: `the canvas does not show ${ids.join(", ")}`,
  });
}

/**
 * Returns the text in the node's settings that says where its flow is stored. A screenshot is taken first,
 * because without a screen nothing else makes the page draw.
 */
async function held(browser: Browser): Promise<string> {
  await browser.takeScreenshot();
  return browser.execute((found) => document.querySelector(found)?.textContent ?? "", byId("subflow-held"));
}

test("a double click looks inside, an edit there is undone from outside", async () => {
  const { browser } = window;
  await openFile(window, file);
  await doubleClick(browser, "polite");
  await expectNodes(browser, "name", "greet", "text");
  expect(await textOf(browser, byId(testIds.breadcrumbs))).toContain("Polite");
  await atRest(browser);
  await window.picture("subflow-inside");
  await selectNode(browser, "greet");
  await fill(browser, codeField("template"), "Hello {{ input }}");
  await deselect(browser);
  await browser.keys("Escape");
  await expectNodes(browser, "who", "polite", "letter");
  expect(await browser.$(byId(testIds.breadcrumbs)).isExisting()).toBe(false);
  await click(browser, byId(testIds.undoButton));
  await browser.waitUntil(async () => !(await browser.$(byId(testIds.undoButton)).isEnabled()), {
    timeout: 20_000,
    timeoutMsg: "the edit inside is not undone as one step",
  });
  await click(browser, byId(testIds.redoButton));
});

test("a subflow is moved to a file next to the workflow, is edited there, and is moved back", async () => {
  const { browser } = window;
  const target = path.join(path.dirname(file), "polite.loop");
  await selectNode(browser, "polite");
  window.answerDialog(target);
  await click(browser, byId("subflow-save"));
  await browser.waitUntil(async () => (await held(browser)).includes("polite.loop"), {
    timeout: 20_000,
    timeoutMsg: "the node does not refer to the file",
  });
  expect(existsSync(target)).toBe(true);

  await click(browser, byId("subflow-open"));
  await expectNodes(browser, "name", "greet", "text");
  await selectNode(browser, "greet");
  await fill(browser, codeField("template"), "Good day {{ input }}");
  await click(browser, byId(testIds.saveButton));
  await browser.waitUntil(() => Promise.resolve(readFileSync(target, "utf8").includes("Good day")), {
    timeout: 20_000,
    timeoutMsg: "the file is not saved",
  });
  await window.picture("subflow-file");
  await click(browser, byId(testIds.crumb(0)));
  await expectNodes(browser, "who", "polite", "letter");

  await selectNode(browser, "polite");
  await click(browser, byId("subflow-take-in"));
  await browser.waitUntil(async () => (await held(browser)).includes("In this node"), {
    timeout: 20_000,
    timeoutMsg: "the file is not stored in the node",
  });
});
