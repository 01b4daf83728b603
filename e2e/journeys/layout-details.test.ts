// Layout details that only a real window can show: buttons stay in their panel, corners and lines meet,
// controls share a line.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, choose, click, openTemplate, runEnds, selectNode, startRun } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

const OUTPUT = "everything_that_was_said_in_the_long_meeting_of_last_week";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

type Box = { left: number; right: number; top: number; bottom: number };

/** Returns the position of the first element of each selector. */
async function boxes(...selectors: string[]): Promise<Box[]> {
  for (const selector of selectors)
    await window.browser
      .$(selector)
      .waitForExist({ timeout: 10_000, timeoutMsg: `${selector} is not there` });
  return window.browser.execute(
    (...found: string[]) =>
      found.map((selector) => {
        const { left, right, top, bottom } =
          document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
        return { left, right, top, bottom };
      }),
    ...selectors,
  );
}

test("the button below the inputs has the same corners on both sides", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await click(browser, byId("run-with"));
  const button = ".run-popover .btn.primary";
  await browser.$(button).waitForDisplayed({ timeout: 10_000 });
  const corners = await browser.execute((found) => {
    const style = getComputedStyle(document.querySelector(found) as Element);
    return [
      style.borderTopLeftRadius,
      style.borderTopRightRadius,
      style.borderBottomRightRadius,
      style.borderBottomLeftRadius,
    ];
  }, button);
  await browser.keys("Escape");
  expect(new Set(corners).size, corners.join(" ")).toBe(1);
  expect(Number.parseFloat(corners[0] ?? "")).toBeGreaterThan(0);
});

test("the titles of Self-Refine are whole beside the marks of a run", async () => {
  const { browser } = window;
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await atRest(browser);
  const cards = await browser.execute(
    (found) =>
      [...document.querySelectorAll("article > header")].map((header) => {
        const title = header.querySelector("b");
        const isCut =
          !title || title.scrollWidth > title.clientWidth + 1 || title.scrollHeight > title.clientHeight + 1;
        return { title: title?.textContent, isCut, tag: header.querySelector(found)?.textContent };
      }),
    byId(testIds.iterationTag),
  );
  expect(cards.filter(({ isCut }) => isCut)).toEqual([]);
  expect(cards.find(({ title }) => title === "Draft / Revise")?.tag).toBe("3");
  await click(browser, '[aria-label="Close the run and edit"]');
});

test("Edit, Runs and Evaluate stay where they are from page to page", async () => {
  const { browser } = window;
  const lefts: number[] = [];
  for (const view of [testIds.viewEdit, testIds.viewRuns, testIds.viewEvaluate, testIds.viewEdit]) {
    await click(browser, byId(view));
    await browser
      .$(`${byId(view)}[aria-current="page"]`)
      .waitForExist({ timeout: 10_000, timeoutMsg: `${view} does not open` });
    const [place] = await boxes('nav[aria-label="View"]');
    lefts.push(Math.round(place?.left ?? 0));
  }
  expect(new Set(lefts).size, lefts.join(" ")).toBe(1);
});

test("a long name of an output is truncated, and its buttons stay inside the panel", async () => {
  const { browser } = window;
  const nodes = row(
    ["who", "input", { name: "who", default: "Ada" }],
    ["greet", "transform", { label: "Greet", template: "Dear {{ input }}" }],
    ["letter", "output", { label: "Letter", name: OUTPUT }],
  );
  const edges = wires("who.value -> greet.input", "greet.output -> letter.value");
  await openFile(window, writeFlow(window, "long-name.flow.json", { name: "Long name", nodes, edges }));
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  const output = byId(`run-output-${OUTPUT}`);
  const [panel, forms, copy] = await boxes(
    '[aria-label="Inspector"]',
    `${output} [aria-label="Format of the value"]`,
    `${output} [aria-label="Copy"]`,
  );
  await window.picture("layout-long-name");
  expect(forms?.right).toBeLessThanOrEqual(copy?.left ?? 0);
  expect(copy?.right).toBeLessThanOrEqual(panel?.right ?? 0);
  // The name takes the rest of the line, and fits on a single line.
  const [name] = await boxes(`${output} h4`);
  expect(name?.right).toBeLessThanOrEqual(forms?.left ?? 0);
  expect((name?.bottom ?? 0) - (name?.top ?? 0)).toBeLessThan(24);
});

/** The selector of the header of the run that the history shows. */
const RUN_HEAD = '[data-region="run"] div:has(> h1)';

/** The comparison button in the history. The run view behind it has a button of this name as well. */
const compare = () => window.browser.$('[data-region="run"]').$("button=Compare with original");

/**
 * Runs Self-Refine, then again from an iteration of that run. Shows the second run, whose header has the most
 * buttons.
 */
async function showFork(): Promise<void> {
  const { browser } = window;
  await browser.keys(["Control", "Shift", "h"]);
  await openTemplate(browser, "self-refine");
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await click(browser, byId(testIds.viewRuns));
  await click(browser, byId("fork-past"));
  await choose(browser, "What to edit", "Nothing");
  await click(browser, byId("fork-run"));
  await browser.$(byId("fork")).waitForExist({ reverse: true, timeout: 10_000 });
  expect(await runEnds(browser)).toBe("done");
  await click(browser, byId(testIds.viewRuns));
  await click(browser, '[role="option"][data-under-parent]');
  await compare().waitForDisplayed({ timeout: 10_000 });
}

/**
 * Tries widths of the run's header from 640 to 1600 pixels. Returns the widths, in pixels, at which the
 * header's menu is not in line with the button before it, or at which a button is outside of the header.
 */
const wrongWidths = (): Promise<{ dropped: number[]; outside: number[] }> =>
  window.browser.execute((selector) => {
    const head = document.querySelector<HTMLElement>(selector);
    const menu = document.querySelector('[aria-label="More about this run"]');
    const buttons = [...(head?.querySelectorAll("button") ?? [])].filter((one) => one !== menu);
    const last = buttons.at(-1);
    if (!head || !menu || !last) throw new Error("the header of the run is not there");
    const dropped: number[] = [];
    const outside: number[] = [];
    for (let width = 640; width <= 1600; width += 8) {
      head.style.width = `${width}px`;
      const [box, before] = [menu.getBoundingClientRect(), last.getBoundingClientRect()];
      if (Math.abs(box.top + box.bottom - before.top - before.bottom) > 2) dropped.push(width);
      const { right } = head.getBoundingClientRect();
      if ([menu, ...buttons].some((one) => one.getBoundingClientRect().right > right)) outside.push(width);
    }
    head.style.width = "";
    return { dropped, outside };
  }, RUN_HEAD);

test("the menu of a run stays next to its buttons, with and without a badge before them", async () => {
  const { browser } = window;
  await showFork();
  expect(await wrongWidths()).toEqual({ dropped: [], outside: [] });
  await compare().click();
  // Next to another run, the title has a badge.
  await browser.$(byId("run-compare")).waitForDisplayed({ timeout: 10_000 });
  expect(await wrongWidths()).toEqual({ dropped: [], outside: [] });
  await browser.setWindowSize(1024, 700);
  await browser.pause(400);
  await window.picture("layout-run-header");
  const [head, menu] = await boxes(RUN_HEAD, '[aria-label="More about this run"]');
  expect(menu?.right).toBeLessThanOrEqual(head?.right ?? 0);
  await browser.setWindowSize(1440, 900);
  await click(browser, byId(testIds.viewEdit));
});

test("the lines between prices go through all columns", async () => {
  const { browser } = window;
  await browser.keys(["Control", ","]);
  await click(browser, "button=Runs and limits");
  await browser.$('[data-testid="prices"] tbody tr').waitForExist({ timeout: 10_000 });
  const uneven = await browser.execute(() =>
    [...document.querySelectorAll('[data-testid="prices"] tbody tr')]
      .slice(0, 20)
      .map((line) => [...line.children].map((cell) => Math.round(cell.getBoundingClientRect().bottom)))
      .filter((ends) => new Set(ends).size > 1),
  );
  expect(uneven).toEqual([]);
  await click(browser, byId("settings-done"));
});

test("Other arguments begins where the other fields do, with a chevron that turns", async () => {
  const { browser } = window;
  const nodes = row(["fetch", "tool", { label: "Fetch", tool: "http.request", arguments: {} }]);
  await openFile(window, writeFlow(window, "tool.flow.json", { name: "Tool", nodes, edges: [] }));
  await selectNode(browser, "fetch");
  const summary = '[data-testid="fold-Other arguments"] > summary';
  const [chevron, field] = await boxes(`${summary} > svg`, '[data-field^="args."] label');
  await atRest(browser);
  expect(chevron?.left).toBe(field?.left);
  const turn = () =>
    browser.execute(
      (found) => getComputedStyle(document.querySelector(found) as Element).transform,
      `${summary} > svg`,
    );
  expect(await turn()).toBe("none");
  await click(browser, summary);
  expect(await turn()).not.toBe("none");
});
