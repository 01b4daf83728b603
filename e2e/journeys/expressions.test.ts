// Help with writing a template: a name is completed, a mistake is underlined in place and fixed by its
// button, and the text is evaluated with the values of the last run.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  atRest,
  byId,
  click,
  codeField,
  fill,
  runEnds,
  selectNode,
  startRun,
  textOf,
  wholeText,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { type Browser, openWindow, type Window } from "../support/window";

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "letters.loop", {
    name: "Letters",
    nodes: row(
      ["who", "input", { label: "Who", name: "who", default: "Ada" }],
      ["draft", "transform", { label: "Draft", template: "Dear {{ input }}" }],
      ["join", "transform", { label: "Join", template: "{{ input }}!" }],
      ["letter", "output", { label: "Letter", name: "letter" }],
    ),
    edges: wires("who.value -> draft.input", "draft.output -> join.input", "join.output -> letter.value"),
  });
});
afterAll(() => window?.close());

const field = codeField("template");

/** Returns the text of the field, from the page's DOM. */
const written = (browser: Browser) =>
  browser.execute((found) => document.querySelector<HTMLElement>(found)?.textContent ?? "", field);

async function waitFor(browser: Browser, selector: string, what: string): Promise<void> {
  await browser.waitUntil(
    async () => {
      await browser.takeScreenshot();
      return browser.$(selector).isExisting();
    },
    { timeout: 15_000, timeoutMsg: what },
  );
}

test("after a run, a name is completed and its value is shown", async () => {
  const { browser } = window;
  await openFile(window, file);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await click(browser, byId(testIds.viewEdit));
  await atRest(browser);
  await selectNode(browser, "join");
  await fill(browser, field, "To {{ dra");
  await waitFor(browser, ".code-menu li[aria-selected]", "no name is offered");
  expect(await wholeText(browser, ".code-menu li[aria-selected]")).toContain("draft");
  expect(await wholeText(browser, ".code-menu li[aria-selected]")).toContain("Dear Ada");
  await window.picture("expressions-complete");
  await browser.keys("Enter");
  expect(await written(browser)).toBe("To {{ draft }}");
  await waitFor(browser, byId("field-preview"), "there is no preview");
  await browser.waitUntil(
    async () => (await textOf(browser, byId("field-preview"))).includes("To Dear Ada"),
    {
      timeout: 10_000,
      timeoutMsg: "the preview does not show the value of the run",
    },
  );
});

test("a wrong name is underlined, and its fix corrects it", async () => {
  const { browser } = window;
  await fill(browser, field, "Hi {{ darft }}");
  await browser.keys("Escape");
  await waitFor(browser, ".code-field .cm-lintRange-error", "nothing is underlined");
  expect(await textOf(browser, ".code-field .cm-lintRange-error")).toBe("darft");
  const line = await browser.$(".code-field .cm-lintRange-error").getCSSProperty("text-decoration-line");
  expect(line.value).toBe("underline");
  await window.picture("expressions-wrong");
  await click(browser, `${byId("field-template")} .field-error button`);
  await browser.waitUntil(async () => (await written(browser)) === "Hi {{ draft }}", {
    timeout: 10_000,
    timeoutMsg: "the fix does not correct the text",
  });
  await browser.waitUntil(async () => !(await browser.$(".code-field .cm-lintRange-error").isExisting()), {
    timeout: 10_000,
    timeoutMsg: "it is still underlined",
  });
  await browser.waitUntil(
    async () => (await textOf(browser, byId("field-preview"))).includes("Hi Dear Ada"),
    {
      timeout: 10_000,
      timeoutMsg: "the preview does not follow",
    },
  );
  await window.picture("expressions-mended");
});
