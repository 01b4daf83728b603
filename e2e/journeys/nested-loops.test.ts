// A loop in a loop is an error until it is allowed: shown on the node, in its settings and in the list, each
// with the fix.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, deselect, runEnds, selectNode, startRun, textOf } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

test("one click allows it, and the flow runs", async () => {
  const { browser } = window;
  const file = writeFlow(window, "nested.loop", {
    name: "Nested",
    nodes: row(
      ["text", "input", { label: "Text", name: "text", default: "a" }],
      ["outer", "loop", { label: "Outer", maxIterations: 2 }],
      ["inner", "loop", { label: "Inner", maxIterations: 3 }],
      ["add", "transform", { label: "Add", template: "{{ input }}x" }],
      ["inner_exit", "exit", { label: "Inner exit" }],
      ["outer_exit", "exit", { label: "Outer exit" }],
      ["done", "output", { label: "Done", name: "done" }],
    ),
    edges: wires(
      "text.value -> outer.input",
      "outer.body -> inner.input",
      "inner.body -> add.input",
      "add.output -> inner_exit.input",
      "inner_exit.output -> outer_exit.input",
      "outer_exit.output -> done.value",
    ),
  });
  await openFile(window, file);
  await selectNode(browser, "inner");
  expect(await textOf(browser, byId("node-problems"))).toContain("Nested loops are turned off");
  await click(browser, byId(testIds.validateButton));
  expect(await textOf(browser, byId(testIds.problem("nested_loops")))).toContain(
    "Nested loops are turned off",
  );
  await window.picture("nested-loops");
  await click(browser, `${byId("node-problems")} button`);
  await browser
    .$(byId(testIds.problem("nested_loops")))
    .waitForExist({ reverse: true, timeoutMsg: "the problem stays after its fix" });
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId("run-output-done"))).toContain("axxxxxx");
});
