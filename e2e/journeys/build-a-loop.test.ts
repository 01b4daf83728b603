// A loop built by hand: dragged from the palette, wired, saved, opened again after a restart, and run.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  codeField,
  deselect,
  fill,
  flowIsOpen,
  nodes,
  openEmptyCanvas,
  place,
  runEnds,
  selectNode,
  startRun,
  textOf,
  wire,
  wires,
} from "../support/editor";
import { openFiles, openWindow, remove, type Window } from "../support/window";

let folder: string;
let window: Window;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

const file = () => path.join(folder, "by hand.loop");

test("is dragged, wired and saved", async () => {
  const { browser } = window;
  await openEmptyCanvas(browser);
  const input = await place(browser, "input", { x: 310, y: 200 });
  const loop = await place(browser, "loop", { x: 560, y: 200 });
  const transform = await place(browser, "transform", { x: 840, y: 200 });
  const exit = await place(browser, "exit", { x: 760, y: 520 });
  const output = await place(browser, "output", { x: 1000, y: 520 });
  await wire(browser, [input, "value"], [loop, "input"]);
  await wire(browser, [loop, "body"], [transform, "input"]);
  await wire(browser, [transform, "output"], [exit, "input"]);
  await wire(browser, [exit, "output"], [output, "value"]);
  await wire(browser, [transform, "output"], [loop, "feedback"]);
  await selectNode(browser, transform);
  await fill(browser, codeField("template"), "{{ input }}!");
  await window.picture("by-hand");

  window.answerDialog(file());
  await click(browser, byId(testIds.saveButton));
  await browser.waitUntil(async () => !(await browser.$(byId(testIds.saveButton)).isEnabled()), {
    timeoutMsg: "the file is not saved",
  });
  const saved = JSON.parse(readFileSync(file(), "utf8"));
  expect(saved.nodes.map((node: { type: string }) => node.type).sort()).toEqual([
    "exit",
    "input",
    "loop",
    "output",
    "transform",
  ]);
  expect(saved.edges).toHaveLength(5);
  // The list of open files is written when a file is saved, not before.
  await browser.waitUntil(() => Promise.resolve(openFiles(folder).includes(file())), {
    timeout: 5_000,
    timeoutMsg: "the file is not among those to be opened again",
  });
});

test("opens again after a restart and runs", async () => {
  await window.close();
  window = await openWindow({ display: inject("display"), folder });
  const { browser } = window;
  await flowIsOpen(browser);
  await browser.waitUntil(async () => (await wires(browser)).length === 5, {
    timeoutMsg: "the wires were not restored",
  });
  expect(await nodes(browser)).toHaveLength(5);
  await deselect(browser);
  await fill(browser, '[data-testid^="input-field-"]', "go");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  expect(await textOf(browser, '[data-testid^="run-output-"]')).toContain("go!!!!!");
  expect(await textOf(browser, '[data-testid^="loop-badge-"]')).toBe("Iteration 5 / 5");
});
