// Scripts in three languages in sequence: the language is selected, the script is written and run by the
// program's own workers, and a mistake is marked in place.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, choose, click, codeField, fill, selectNode, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  const file = writeFlow(window, "words.loop", {
    name: "Words",
    nodes: row(
      ["text", "input", { label: "Text", name: "text", default: "one two three" }],
      ["count", "tool", { label: "Count", tool: "script.lua", args: { source: "return #input" } }],
      ["out", "output", { label: "Out", name: "out" }],
    ),
    edges: wires("text.value -> count.input", "count.output -> out.value"),
  });
  await openFile(window, file);
});
afterAll(() => window?.close());

const field = codeField("args.source");

test.each([
  ["Luau", "return 'Luau ' .. #input", "Luau 13"],
  ["Python", "return f'Python {len(input.split())}'", "Python 3"],
  ["JavaScript", "return 'JavaScript ' + input.toUpperCase()", "JavaScript ONE TWO THREE"],
])("a script in %s is written and run", async (language, source, gives) => {
  const { browser } = window;
  await selectNode(browser, "count");
  await choose(browser, "Language", language);
  await fill(browser, field, source);
  await browser.keys("Escape");
  await window.picture(`script-${language}`);
  // The node stays selected, so that the panel shows its output.
  await click(browser, byId(testIds.runButton));
  await browser.waitUntil(
    async () => {
      const output = browser.$(byId("output-text"));
      return (await output.isExisting()) && (await output.getText()) === gives;
    },
    { timeout: 15_000, timeoutMsg: `the run does not show “${gives}”` },
  );
  await window.picture(`script-${language}-ran`);
  await click(browser, byId(testIds.viewEdit));
  await atRest(browser);
});

test("a mistake in a script is underlined", async () => {
  const { browser } = window;
  await selectNode(browser, "count");
  await choose(browser, "Language", "Python");
  await fill(browser, field, "return inptu");
  await browser.keys("Escape");
  await browser.waitUntil(
    async () => {
      await browser.takeScreenshot();
      return browser.$(".code-field .cm-lintRange-error").isExisting();
    },
    { timeout: 15_000, timeoutMsg: "nothing is underlined" },
  );
  expect(await textOf(browser, ".code-field .cm-lintRange-error")).toBe("inptu");
  await window.picture("script-wrong");
});
