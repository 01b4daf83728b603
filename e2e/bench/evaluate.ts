// Measures an experiment of 10,000 cases and three variants in the built window: the time to open it, the
// frames while its grid is scrolled, and its memory. Prints tables; the figures depend on the machine. The
// command line creates the experiment first.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click } from "../support/editor";
import { openFile, row, wires } from "../support/flows";
import { builtProgram, openWindow, remove, type Window } from "../support/window";
import { type Answer, answered, timesTable } from "./answers";
import { frames, table } from "./frames";
import { resident } from "./processes";

const CASES = 10_000;
/** The target for the median time until a stored experiment is shown, in milliseconds. */
const OPEN = 300;
const TIMES = 5;
const GRID = byId(testIds.evalGrid);
/** The selector of the experiment's first output, once it has content. */
const OUTPUT = "#eval-cell-0-1:not(:empty)";
/** The menu of evaluations. */
const NAME = '[aria-label^="Evaluation: "]';

let folder: string;
let window: Window;

const flow = {
  schemaVersion: 1,
  name: "Dots",
  nodes: row(
    ["text", "input", { name: "text" }],
    ["loop", "loop", { maxIterations: 2 }],
    ["step", "transform", { template: "{{ input }}." }],
    ["exit", "exit"],
    ["out", "output", { name: "result" }],
  ),
  edges: wires(
    "text.value -> loop.input",
    "loop.body -> step.input",
    "step.output -> exit.input",
    "exit.output -> out.value",
  ),
};

const evaluation = (name: string, file: string) => ({
  schemaVersion: 1,
  name,
  flow: "dots.flow.json",
  data: { file, id: "id", inputs: { text: "text" } },
  variants: [1, 2, 3].map((cap) => ({ name: `cap ${cap}`, set: { "loop.maxIterations": cap } })),
  scorers: [{ name: "length", type: "expression", expression: "result | length" }],
  perIteration: "loop",
});

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-bench-"));
  const work = path.join(folder, "work");
  mkdirSync(work);
  const write = (name: string, text: string) => writeFileSync(path.join(work, name), text);
  const lines = Array.from({ length: CASES }, (_, i) => `case-${i},A sentence with number ${i}`);
  write("many.csv", ["id,text", ...lines, ""].join("\n"));
  write("few.csv", ["id,text", lines[0], ""].join("\n"));
  write("dots.flow.json", JSON.stringify(flow));
  write("many.eval.json", JSON.stringify(evaluation("Many cases", "many.csv")));
  write("few.eval.json", JSON.stringify(evaluation("One case", "few.csv")));
  execFileSync(
    builtProgram("loopwright"),
    ["--data-dir", path.join(folder, "data"), "eval", path.join(work, "many.eval.json"), "--yes"],
    { stdio: "ignore" },
  );
  window = await openWindow({ display: inject("display"), folder });
}, 900_000);
afterAll(async () => {
  await window?.close();
  if (folder) remove(folder);
});

/** Scrolls the grid some 60 times a second, 90 times. */
const scroll = (by: number): Promise<void> =>
  window.browser.executeAsync(
    (grid: string, step: number, done: () => void) => {
      let turns = 0;
      const turn = () => {
        document.querySelector(grid)?.scrollBy(0, step);
        turns += 1;
        if (turns < 90) setTimeout(turn, 16);
        else done();
      };
      turn();
    },
    GRID,
    by,
  );

const memory = () =>
  (["program", "web"] as const)
    .map((part) => `${part} ${resident(window.folder, part).all.toFixed(0)} MB`)
    .join(", ");

test(`${CASES} cases with three variants`, { timeout: 300_000 }, async () => {
  const { browser } = window;
  await openFile(window, path.join(folder, "work/dots.flow.json"));
  await click(browser, byId(testIds.viewEvaluate));
  const before = memory();
  const load = loadavg()[0]?.toFixed(1);
  const choose = (name: string) => click(browser, `button*=${name}`);
  const open = () => answered(window, { selector: OUTPUT }, () => choose("Many cases"));
  await choose("One case");
  const opened: Answer[] = [];
  for (let i = 0; i < TIMES; i++) {
    await browser.$(NAME).click();
    await browser.pause(300);
    opened.push(await open());
    await browser.pause(800);
    if (i === TIMES - 1) break;
    await browser.$(NAME).click();
    await choose("One case");
    await browser.pause(800);
  }
  const scrolls = [
    ["scroll, 40 pixels a step", await frames(window, () => scroll(40))],
    ["scroll back", await frames(window, () => scroll(-40))],
    ["scroll fast, 400 pixels a step", await frames(window, () => scroll(400))],
  ] as const;
  console.log(
    [
      `load ${load} at the start, ${loadavg()[0]?.toFixed(1)} at the end`,
      timesTable([["the stored experiment", opened, OPEN]]),
      table(scrolls),
      `before: ${before}; after: ${memory()}`,
    ].join("\n"),
  );
  expect(opened.every(({ took }) => Number.isFinite(took))).toBe(true);
});
