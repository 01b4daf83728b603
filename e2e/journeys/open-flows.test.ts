// Several open flows, the palette, and the unsaved work that survives when the program is killed.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import {
  byId,
  click,
  commandList,
  fill,
  flowIsOpen,
  nodes,
  openTemplate,
  selectNode,
  textOf,
  wholeText,
} from "../support/editor";
import { greeting, openFile, writeFlow } from "../support/flows";
import { pressAt } from "../support/pointer";
import { type Browser, openWindow, remove, type Window } from "../support/window";

let folder: string;
let window: Window;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  window = await openWindow({ display: inject("display"), folder });
  file = writeFlow(window, "greeting.flow.json", greeting());
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

/** The selector of the sheet of keyboard shortcuts. */
const sheet = 'dialog[aria-labelledby="sheet-title"]';

/** Returns the names of the tabs in their order, with `> ` before the name of the active tab. */
function tabs(browser: Browser): Promise<string[]> {
  return browser.execute(() =>
    [...document.querySelectorAll('[aria-label="Open flows"] li')].map((tab) => {
      const name = tab.querySelector("button")?.textContent ?? "";
      return tab.hasAttribute("data-current") ? `> ${name}` : name;
    }),
  );
}

async function tabsAre(browser: Browser, ...names: string[]): Promise<void> {
  let now: string[] = [];
  await browser
    .waitUntil(
      async () => {
        // Without a screen, only a screenshot makes the page draw.
        await browser.takeScreenshot();
        now = await tabs(browser);
        return now.join() === names.join();
      },
      { timeout: 15_000 },
    )
    .catch(() => expect(now).toEqual(names));
}

/** Types into the palette and selects the first match. */
async function command(browser: Browser, typed: string): Promise<void> {
  await browser.keys(["Control", "k"]);
  await browser.$(`${commandList} input`).waitForDisplayed();
  await browser.keys([...typed]);
  await browser.waitUntil(async () => (await browser.$$(`${commandList} [role=option]`).length) > 0, {
    timeoutMsg: `the palette finds nothing for ${typed}`,
  });
  await browser.keys("Enter");
  await browser.$(commandList).waitForExist({ reverse: true });
}

test("flows stand beside each other, and keys and palette go between them", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  expect(await tabs(browser)).toEqual([]);
  await openFile(window, file);
  await tabsAre(browser, "Self-Refine", "> greeting.flow.json");
  await browser.keys(["Control", "Tab"]);
  await tabsAre(browser, "> Self-Refine", "greeting.flow.json");
  await command(browser, "greeting");
  await tabsAre(browser, "Self-Refine", "> greeting.flow.json");
  await flowIsOpen(browser);
  expect((await nodes(browser)).sort()).toEqual(["greet", "letter", "who"]);
  await browser.keys(["Control", "Shift", "PageUp"]);
  await tabsAre(browser, "> greeting.flow.json", "Self-Refine");
  // Opening the same file again selects its tab.
  await openFile(window, file);
  await tabsAre(browser, "> greeting.flow.json", "Self-Refine");
});

test("the palette goes to a node, and the sheet tells the keys", async () => {
  const { browser } = window;
  await command(browser, "@greet");
  // The test queries the page, because a plain field exists until the editor replaces it, and a reference to
  // the element would then be invalid.
  const field = `:is(${byId("field-template")}) :is(textarea, .cm-content)`;
  await browser.waitUntil(() => browser.execute((found) => document.querySelector(found) !== null, field), {
    timeout: 10_000,
    timeoutMsg: "the form of the node is not there",
  });
  await browser.keys("Escape");
  await browser.keys(["Shift", "?"]);
  await browser.$(sheet).waitForDisplayed();
  expect(await textOf(browser, sheet)).toContain("Next open flow");
  await browser.keys("Escape");
  await browser.$(sheet).waitForExist({ reverse: true });
});

test("a press outside the palette closes it, and does nothing else", async () => {
  const { browser } = window;
  await selectNode(browser, "greet");
  await browser.keys(["Control", "k"]);
  await browser.$(commandList).waitForDisplayed();
  const { left, bottom, ends } = await browser.execute((list) => {
    const place = (found: string) => document.querySelector(found)?.getBoundingClientRect() ?? new DOMRect();
    return {
      left: place(list).left,
      bottom: place(list).bottom,
      ends: place('[data-region="canvas"]').bottom,
    };
  }, commandList);
  expect(bottom).toBeLessThan(ends - 100);
  await pressAt(browser, { x: Math.round(left + 40), y: Math.round(bottom + 40) });
  await browser.$(commandList).waitForExist({ reverse: true });
  expect(
    await browser.execute(() =>
      document.querySelector(".react-flow__node.selected")?.getAttribute("data-id"),
    ),
  ).toBe("greet");
});

/** Returns the drafts in the data folder. */
function drafts(): {
  path: string | null;
  document: { name: string; nodes: { data: { label?: string } }[] };
}[] {
  const sessions = path.join(folder, "data/sessions");
  return readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => /draft-.*\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(path.join(sessions, name), "utf8")));
}

test("unsaved changes survive a killed program, and are offered with their differences", async () => {
  const { browser } = window;
  await selectNode(browser, "greet");
  await fill(browser, byId("node-label"), "Welcome");
  await browser.waitUntil(
    () => Promise.resolve(drafts().some((d) => d.document.nodes.some((n) => n.data.label === "Welcome"))),
    { timeout: 20_000, timeoutMsg: "no draft is written" },
  );
  expect(readFileSync(file, "utf8")).not.toContain("Welcome");
  await window.kill();

  window = await openWindow({ display: inject("display"), folder });
  const next = window.browser;
  await next.$(byId(testIds.recovery)).waitForDisplayed({ timeout: 20_000 });
  const words = await textOf(next, byId(testIds.leftDraft("greeting.flow.json")));
  expect(words).toContain("Changed: Welcome (label)");
  await window.picture("draft-recovery");
  await click(next, `${byId(testIds.recovery)} button`);
  await flowIsOpen(next);
  expect(await wholeText(next, byId(testIds.node("greet")))).toContain("Welcome");
  // The restored draft is an ordinary edit: undo returns to the file.
  await click(next, byId(testIds.undoButton));
  await next.waitUntil(async () => (await wholeText(next, byId(testIds.node("greet")))).includes("Greet"), {
    timeoutMsg: "the draft is not undone",
  });
  await next.waitUntil(() => Promise.resolve(drafts().length === 0), {
    timeout: 20_000,
    timeoutMsg: "a draft stays",
  });
});

test("a window that is closed opens its files again", async () => {
  await window.close();
  window = await openWindow({ display: inject("display"), folder });
  await flowIsOpen(window.browser);
  expect((await nodes(window.browser)).sort()).toEqual(["greet", "letter", "who"]);
  expect(await window.browser.$(byId(testIds.recovery)).isExisting()).toBe(false);
});

test("a long name stays on the one line of its tab", async () => {
  const { browser } = window;
  const words = "a flow whose name has far more words than any tab has room for";
  await openFile(window, writeFlow(window, `${words}.flow.json`, greeting()));
  await browser.$(byId(testIds.tab(`${words}.flow.json`))).waitForDisplayed();
  const [long, short] = await browser.execute(
    (...ids) => ids.map((id) => document.querySelector(`${id} .clip-text`)?.getBoundingClientRect().height),
    byId(testIds.tab(`${words}.flow.json`)),
    byId(testIds.tab("greeting.flow.json")),
  );
  expect(long).toBe(short);
});

test("a window opens the file that it is started with, in addition to those that were open", async () => {
  const given = writeFlow(window, "given.flow.json", { ...greeting(), name: "Given" });
  await window.close();
  window = await openWindow({ display: inject("display"), folder, args: [given] });
  await flowIsOpen(window.browser);
  const open = await tabs(window.browser);
  expect(open.filter((name) => name.startsWith("> "))).toEqual(["> given.flow.json"]);
  expect(open).toContain("greeting.flow.json");
});
