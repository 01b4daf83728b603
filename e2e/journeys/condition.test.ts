// A loop that ends by a condition, set with pickers: the expression on the card and in the file, and the
// distance to each of the loop's exits while it runs.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  choose,
  click,
  deselect,
  fill,
  runEnds,
  selectNode,
  startRun,
  textOf,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { chooseOption } from "../support/list";
import { type Browser, openWindow, type Window } from "../support/window";

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "grow.loop", {
    name: "Grow",
    nodes: row(
      ["text", "input", { label: "Text", name: "text", default: "a" }],
      ["grow", "loop", { label: "Grow", maxIterations: 5 }],
      ["add", "transform", { label: "Add", template: "{{ input }}x" }],
      ["exit", "exit", { label: "Exit" }],
      ["grown", "output", { label: "Grown", name: "grown" }],
    ),
    edges: wires(
      "text.value -> grow.input",
      "grow.body -> add.input",
      "add.output -> exit.input",
      "exit.output -> grown.value",
    ),
  });
});
afterAll(() => window?.close());

/** Chooses an option of a menu by its value. */
const pick = (browser: Browser, label: string, value: string): Promise<void> =>
  chooseOption(browser, `.select[aria-label="${label}"]`, value);

const row_ = (key: string) => byId(`exit-row-${key}`);

test("pickers write the expression that card and file show", async () => {
  const { browser } = window;
  await openFile(window, file);
  await selectNode(browser, "grow");
  await click(browser, byId("exit-mode-condition"));
  await choose(browser, "When the test is checked", "after");
  await pick(browser, "Value of test 1", "result");
  await pick(browser, "Operator of test 1", "length >=");
  await fill(browser, '[aria-label="Constant of test 1"]', "4");
  await browser.waitUntil(
    async () => (await textOf(browser, byId("condition-expression"))) === "result | length >= 4",
    { timeoutMsg: "the pickers do not write the expression" },
  );
  const card = `${byId(testIds.node("grow"))} ${byId(testIds.exitTest)}`;
  const shown = await browser.execute((found) => document.querySelector(found)?.textContent, card);
  expect(shown).toBe("Untillen(result) ≥ 4");
  await window.picture("condition-by-pickers");

  await choose(browser, "How the test is written", "Code");
  const written = await browser.execute((found) => {
    const field = document.querySelector(found);
    return field instanceof HTMLTextAreaElement
      ? field.value
      : (field?.querySelector(".cm-content") ?? field)?.textContent;
  }, byId("condition-text"));
  expect(written).toBe("result | length >= 4");
  await choose(browser, "How the test is written", "Builder");

  await click(browser, byId(testIds.saveButton));
  await browser.waitUntil(
    () => Promise.resolve(readFileSync(file, "utf8").includes("result | length >= 4")),
    { timeoutMsg: "the expression is not in the file" },
  );
  const saved = JSON.parse(readFileSync(file, "utf8"));
  expect(saved.nodes[1].data.condition).toEqual({ until: "result | length >= 4", test: "after" });
});

test("the exit watch names the output that the loop took, and the timeline ends with it", async () => {
  const { browser } = window;
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId("exit-reason"))).toBe("Condition met");
  expect(await textOf(browser, row_("condition_met"))).toContain("4 / 4");
  expect(await textOf(browser, row_("max_iterations"))).toContain("3 / 5");
  const end = browser.$(byId("timeline-end"));
  expect(await end.getText()).toContain("The loop's condition was met.");
  expect(await end.getAttribute("data-exhausted")).toBe("false");
  await window.picture("condition-met");
});

test("a loop that runs out looks exhausted, not done", async () => {
  const { browser } = window;
  await click(browser, byId(testIds.viewEdit));
  await selectNode(browser, "grow");
  await fill(browser, '[aria-label="Constant of test 1"]', "40");
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await browser.waitUntil(async () => (await textOf(browser, byId("exit-reason"))) === "Max iterations", {
    timeoutMsg: "the loop does not end at its cap",
  });
  expect(await browser.$(byId("timeline-end")).getAttribute("data-exhausted")).toBe("true");
  expect(await textOf(browser, byId("exit-watch"))).toContain("Exhausted");
  expect(await browser.$(row_("max_iterations")).getAttribute("data-tone")).toBe("tone-limit");
  await window.picture("exhausted");
});
