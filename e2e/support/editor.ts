// The actions of a user in the window. Elements are found by the names that the page guarantees
// (`ui/src/testids.ts`).
import { testIds } from "../../ui/src/testids";
import { pixelsOf } from "./pixels";
import { drag, middleOf, type Point, pressAt } from "./pointer";
import { waitForDraw } from "./screen";
import type { Browser } from "./window";

export const byId = (id: string): string => `[data-testid="${id}"]`;

/** The selector of the list of commands while the list is open. */
export const commandList = `${byId(testIds.commands)}[data-open]`;

export const socket = (node: string, handle: string, side: "source" | "target"): string =>
  `.react-flow__handle.${side}[data-nodeid="${node}"][data-handleid="${handle}"]`;

export async function click(browser: Browser, selector: string): Promise<void> {
  const element = browser.$(selector);
  await element.waitForClickable({ timeout: 15_000, timeoutMsg: `${selector} cannot be clicked` });
  await element.click();
}

export async function textOf(browser: Browser, selector: string): Promise<string> {
  const element = browser.$(selector);
  await element.waitForDisplayed({ timeout: 15_000, timeoutMsg: `${selector} is not shown` });
  return element.getText();
}

/**
 * Returns all text inside the element, including text that is cut off for lack of space, which the driver
 * omits.
 */
export async function wholeText(browser: Browser, selector: string): Promise<string> {
  await browser.$(selector).waitForExist({ timeout: 15_000, timeoutMsg: `${selector} is not there` });
  return browser.execute((found) => document.querySelector(found)?.textContent ?? "", selector);
}

export async function openTemplate(browser: Browser, id: string): Promise<void> {
  await click(browser, byId(testIds.template(id)));
  await flowIsOpen(browser);
}

/** Replaces the content of a field by typing. */
export async function fill(browser: Browser, selector: string, text: string): Promise<void> {
  const field = browser.$(selector);
  await field.waitForDisplayed({ timeout: 15_000, timeoutMsg: `${selector} is not shown` });
  await field.click();
  await browser.keys(["Control", "a"]);
  await browser.keys("Delete");
  // A code editor is not a form element: it takes keys, not a value. They are sent one by one: keys sent
  // together are held down together, and a held letter is not pressed again.
  if ((await field.getAttribute("contenteditable")) === "true") {
    for (const key of text) await browser.keys(key);
  } else await field.addValue(text);
}

/**
 * Returns the selector of a code field's editor. A code field contains a template, an expression or a script.
 */
export const codeField = (field: string): string => `[data-field="${field}"] .cm-content`;

/** The number of successive checks, a quarter of a second apart, in which the canvas must not have moved. */
const SHORT_REST = 1;
/**
 * The number of such checks after a flow was opened. The flow is fitted into view only once its cards are
 * measured, and on a busy machine that takes longer.
 */
const REST_AFTER_OPENING = 3;

/** Waits until nothing on the canvas moves. */
export async function atRest(browser: Browser, looks = SHORT_REST): Promise<void> {
  let before = "";
  let unmoved = 0;
  await browser.waitUntil(
    async () => {
      await waitForDraw(browser);
      const now = await browser.execute(() =>
        [...document.querySelectorAll(".react-flow__viewport, .react-flow__node")]
          .map((part) => (part as HTMLElement).style.transform)
          .join(),
      );
      unmoved = now === before ? unmoved + 1 : 0;
      before = now;
      return unmoved >= looks;
    },
    { timeout: 15_000, interval: 250, timeoutMsg: "the canvas does not stop moving" },
  );
}

/** Waits until a flow that is being opened is in its final position on the canvas. */
export async function flowIsOpen(browser: Browser): Promise<void> {
  await browser.$(byId(testIds.canvas)).waitForDisplayed({ timeout: 15_000 });
  await browser
    .$(".react-flow__node")
    .waitForExist({ timeout: 15_000, timeoutMsg: "no node is on the canvas" });
  await atRest(browser, REST_AFTER_OPENING);
}

/** Drags a palette entry onto the canvas at `at`, in client pixels. Returns the new node's id. */
export async function place(browser: Browser, kind: string, at: Point): Promise<string> {
  await atRest(browser);
  const before = new Set(await nodes(browser));
  await drag(browser, await middleOf(browser, byId(testIds.paletteItem(kind))), at);
  await browser.waitUntil(async () => (await nodes(browser)).length > before.size, {
    timeout: 5_000,
    timeoutMsg: `dragging ${kind} from the palette put no node on the canvas`,
  });
  const added = (await nodes(browser)).filter((id) => !before.has(id));
  if (added.length !== 1 || added[0] === undefined)
    throw new Error(`${kind}: ${added.length} nodes were added`);
  return added[0];
}

/** Returns the ids of the nodes on the canvas. */
export function nodes(browser: Browser): Promise<string[]> {
  return browser.execute(() =>
    [...document.querySelectorAll(".react-flow__node")].map((node) => node.getAttribute("data-id") ?? ""),
  );
}

/** Returns the ids of the wires on the canvas. */
export function wires(browser: Browser): Promise<string[]> {
  return browser.execute(() =>
    [...document.querySelectorAll(".react-flow__edge")].map((wire) => wire.getAttribute("data-id") ?? ""),
  );
}

/** Draws a wire from an output socket to an input socket. */
export async function wire(browser: Browser, from: [string, string], to: [string, string]): Promise<void> {
  const before = (await wires(browser)).length;
  await drag(
    browser,
    await middleOf(browser, socket(...from, "source")),
    await middleOf(browser, socket(...to, "target")),
  );
  await browser.waitUntil(async () => (await wires(browser)).length === before + 1, {
    timeout: 5_000,
    timeoutMsg: `no wire from ${from.join(".")} to ${to.join(".")}`,
  });
}

/**
 * The selector of the run status in the run's panel. The hidden history, which is still in the page, also has
 * one.
 */
const runStatus = `[aria-label="Inspector"] ${byId("run-status")}`;

/** Presses Run. Waits for the run's panel to show that it has begun, or for the question that replaces it. */
export async function startRun(browser: Browser): Promise<void> {
  await click(browser, byId(testIds.runButton));
  await browser
    .$(`${runStatus}, ${byId(testIds.approvalSheet)}`)
    .waitForDisplayed({ timeout: 10_000, timeoutMsg: "the run does not begin" });
}

/** Waits for the question that opens by itself when a run waits for a person, and closes it unanswered. */
export async function closeApproval(browser: Browser): Promise<void> {
  const sheet = browser.$(byId(testIds.approvalSheet));
  await sheet.waitForDisplayed({ timeout: 20_000, timeoutMsg: "no question is shown" });
  // The focus moves here only after a previous dialog has closed. A key pressed earlier would go to that
  // dialog.
  await browser.waitUntil(
    () =>
      browser.execute(
        (at) => document.querySelector(at)?.contains(document.activeElement) ?? false,
        byId(testIds.approvalSheet),
      ),
    { timeout: 5_000, timeoutMsg: "the question does not get the keyboard" },
  );
  await browser.keys("Escape");
  await sheet.waitForExist({ reverse: true, timeout: 5_000, timeoutMsg: "Escape does not close the sheet" });
}

/**
 * Waits until the run's panel no longer says "running". Returns the status that the panel then shows, such as
 * "done", "failed" or "stopped".
 */
export async function runEnds(browser: Browser, timeout = 60_000): Promise<string> {
  let word = "";
  await browser.waitUntil(
    async () => {
      word = await browser.$(runStatus).getText();
      return word !== "running";
    },
    { timeout, timeoutMsg: "the run does not end" },
  );
  return word;
}

/**
 * Waits until the form next to the canvas, if it is open, belongs to the node: the form is updated a frame
 * after the selection.
 */
export async function formIsOf(browser: Browser, id: string): Promise<void> {
  await browser.waitUntil(
    () =>
      browser.execute((node) => {
        const form = document.querySelector<HTMLElement>('[data-region="side"] [data-node]');
        const side = document.querySelector('[data-region="side"]:not([aria-label="Inspector"])');
        return side === null || form?.dataset.node === node;
      }, id),
    { timeout: 5_000, timeoutMsg: `the settings of ${id} are not shown` },
  );
}

/**
 * Clicks a node on the canvas once nothing on it moves: while a view is being fitted, the card moves away
 * from the pointer.
 */
export async function selectNode(browser: Browser, id: string): Promise<void> {
  const selected = browser.$(`.react-flow__node.selected[data-id="${id}"]`);
  await browser.waitUntil(
    async () => {
      await atRest(browser);
      await click(browser, `${byId(testIds.node(id))} header`);
      return selected.waitForExist({ timeout: 2_000 }).catch(() => false);
    },
    { timeout: 20_000, timeoutMsg: `the node ${id} is not selected` },
  );
  await formIsOf(browser, id);
}

/** Returns the selected node's output in iteration `k`, as the inspector shows it. */
export async function outputOf(browser: Browser, k: number): Promise<string> {
  await click(browser, byId(testIds.iterationPip(k)));
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.iterationPip(k))).getAttribute("aria-pressed")) === "true",
    { timeoutMsg: `iteration ${k} is not the one shown` },
  );
  return textOf(browser, byId("output-text"));
}

/** Selects a radio button of a group by its label. */
export async function choose(browser: Browser, group: string, label: string): Promise<void> {
  const button = browser.$(`[aria-label="${group}"]`).$(`button=${label}`);
  await button.waitForClickable({ timeout: 10_000, timeoutMsg: `${group}: there is no “${label}”` });
  await button.click();
}

/**
 * Watches a loop's badge until it has shown every count up to `last`. Returns each text with a digest of its
 * picture, because the rendered text that WebDriver returns may differ from what was painted.
 */
export async function watchCounts(
  browser: Browser,
  loop: string,
  last: number,
): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const badge = browser.$(byId(testIds.loopBadge(loop)));
  await browser.waitUntil(
    async () => {
      if (!(await badge.isDisplayed())) return false;
      const text = await badge.getText();
      if (!seen.has(text)) seen.set(text, await pixelsOf(browser, byId(testIds.loopBadge(loop))));
      return seen.has(`Iteration ${last} / ${last}`);
    },
    { timeout: 90_000, interval: 50, timeoutMsg: `the badge of ${loop} does not show ${last}` },
  );
  return seen;
}

/** Opens an empty canvas: a new workflow without its first nodes. */
export async function openEmptyCanvas(browser: Browser): Promise<void> {
  await click(browser, byId("template-blank"));
  await flowIsOpen(browser);
  await deselect(browser);
  await browser.keys(["Control", "a"]);
  await browser.keys("Delete");
  await browser.waitUntil(async () => (await nodes(browser)).length === 0, {
    timeoutMsg: "the canvas is not empty",
  });
}

/** Clicks an empty point of the canvas, so that nothing is selected and the canvas has the focus. */
export async function deselect(browser: Browser): Promise<void> {
  await atRest(browser);
  const corner = await browser.execute((canvas) => {
    const { x, y } = document.querySelector(canvas)?.getBoundingClientRect() ?? new DOMRect();
    return { x: Math.round(x) + 12, y: Math.round(y) + 40 };
  }, byId(testIds.canvas));
  await pressAt(browser, corner);
}
