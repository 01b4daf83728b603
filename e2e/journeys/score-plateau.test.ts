// A loop that ends when its score no longer grows, selected in the settings: the form's fields, and the exit
// watch.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  codeField,
  deselect,
  fill,
  runEnds,
  selectNode,
  startRun,
  textOf,
} from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
let file: string;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  file = writeFlow(window, "plateau.loop", {
    name: "Plateau",
    nodes: row(
      ["quality", "input", { label: "Quality", name: "quality", dataType: "number", default: 7 }],
      ["refine", "loop", { label: "Refine", maxIterations: 9 }],
      ["keep", "transform", { label: "Keep", template: "{{ input }}" }],
      ["exit", "exit", { label: "Exit" }],
      ["best", "output", { label: "Best", name: "best" }],
    ),
    edges: wires(
      "quality.value -> refine.input",
      "refine.body -> keep.input",
      "keep.output -> exit.input",
      "exit.output -> best.value",
    ),
  });
});
afterAll(() => window?.close());

test("the settings ask for a score, and write it to the file", async () => {
  const { browser } = window;
  await openFile(window, file);
  await selectNode(browser, "refine");
  await click(browser, byId("exit-mode-score_plateau"));
  await browser.$(codeField("score")).waitForDisplayed({ timeoutMsg: "the form does not ask for a score" });
  await fill(browser, codeField("score"), "result");
  await window.picture("score-plateau-settings");
  await click(browser, byId(testIds.saveButton));
  await browser.waitUntil(() => Promise.resolve(readFileSync(file, "utf8").includes("score_plateau")), {
    timeoutMsg: "the exit condition is not in the file",
  });
  const { data } = JSON.parse(readFileSync(file, "utf8")).nodes[1];
  expect([data.exitCondition, data.score]).toEqual(["score_plateau", "result"]);
});

test("the loop ends on the plateau, and says so in words", async () => {
  const { browser } = window;
  await deselect(browser);
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, byId("exit-reason"))).toBe("Score plateau");
  expect(await textOf(browser, byId("exit-row-max_iterations"))).toContain("3 / 9");
  expect(await browser.$(byId("timeline-end")).getAttribute("data-exhausted")).toBe("false");
  await window.picture("score-plateau-ran");
});
