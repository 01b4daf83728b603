// A node inserted into the feedback path, with the plus next to its wire.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, nodes, wires } from "../support/editor";
import { openFile, row, wires as wiresOf, writeFlow } from "../support/flows";
import { middleOf, middleOfWire, pressAt } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const edgesOf = (id: string): Promise<{ left: number; right: number }> =>
  window.browser.execute((node) => {
    const box = document.querySelector(`.react-flow__node[data-id="${node}"]`)?.getBoundingClientRect();
    return { left: box?.left ?? 0, right: box?.right ?? 0 };
  }, id);

test("a node inserted into a feedback wire is placed in the loop, after the wire's source", async () => {
  const { browser } = window;
  const flow = {
    name: "Refine",
    nodes: row(
      ["topic", "input", { name: "topic" }],
      ["refine", "loop", { maxIterations: 3, exitCondition: "max_iterations" }],
      ["draft", "llm", { prompt: "{{ input }}" }],
      ["exit", "exit"],
      ["out", "output", { name: "out" }],
    ),
    edges: wiresOf(
      "topic.value -> refine.input",
      "refine.body -> draft.prompt",
      "draft.response -> exit.input",
      "draft.response -> refine.feedback",
      "exit.output -> out.value",
    ),
  };
  await openFile(window, writeFlow(window, "refine.flow.json", flow));
  await browser.$('.react-flow__node[data-id="refine"]').waitForDisplayed({ timeout: 10_000 });
  await atRest(browser);
  const before = await nodes(browser);
  const feedback = "e4";
  const at = await middleOfWire(browser, feedback);
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ x: at.x, y: at.y + 60, duration: 0 })
    .move({ ...at, duration: 60 })
    .perform();
  await browser
    .$(byId(testIds.wireInsert))
    .waitForDisplayed({ timeout: 5_000, timeoutMsg: "there is no plus" });
  await pressAt(browser, await middleOf(browser, byId(testIds.wireInsert)));
  const search = browser.$(`${byId(testIds.quickAdd)} input`);
  await search.waitForDisplayed({ timeout: 5_000, timeoutMsg: "the menu did not open" });
  await search.addValue("transform");
  await browser.keys("Enter");
  await browser.waitUntil(async () => (await nodes(browser)).length === before.length + 1, {
    timeoutMsg: "no node was inserted",
  });
  await atRest(browser);
  await window.picture("inserted-into-feedback");
  const [added = ""] = (await nodes(browser)).filter((id) => !before.includes(id));
  expect((await edgesOf(added)).left).toBeGreaterThan((await edgesOf("draft")).right);
  // The inserted node now feeds back, and there is no problem.
  expect(await wires(browser)).toHaveLength(6);
  expect(await browser.$$(".react-flow__edge-path[data-bad]").length).toBe(0);
});
