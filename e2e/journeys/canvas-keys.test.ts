// The keys of the canvas in the real window: copies, groups, positions and names. One undo reverts each.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { Chain, moved } from "../support/chain";
import { atRest, byId, click, codeField, nodes, selectNode, wholeText } from "../support/editor";
import { drag } from "../support/pointer";
import type { Window } from "../support/window";

let chain: Chain;
let window: Window;
beforeAll(async () => {
  chain = await Chain.open(inject("display"));
  window = chain.window;
});
afterAll(() => window?.close());
beforeEach(() => chain.reset());

const transform = () =>
  window.browser.execute(
    () => document.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform ?? "",
  );

/** Presses the chords, and returns the ids of the `count` nodes that they add. */
async function added(count: number, ...chords: string[][]): Promise<string[]> {
  const { browser } = window;
  const before = new Set(await nodes(browser));
  for (const chord of chords) await browser.keys(chord);
  const fresh = async () => (await nodes(browser)).filter((id) => !before.has(id));
  await browser.waitUntil(async () => (await fresh()).length === count, {
    timeout: 5_000,
    timeoutMsg: `${chords.join(", ")} does not add ${count}`,
  });
  return fresh();
}

async function undoneAtOnce(): Promise<void> {
  const { browser } = window;
  await click(browser, byId(testIds.undoButton));
  await browser.waitUntil(async () => !(await browser.$(byId(testIds.undoButton)).isEnabled()), {
    timeout: 5_000,
    timeoutMsg: "one undo does not take it back",
  });
}

test("a duplicate covers no card, and the view does not move", async () => {
  const { browser } = window;
  await selectNode(browser, "spare");
  await atRest(browser);
  const before = await transform();
  const [id = ""] = await added(1, ["Control", "d"]);
  await atRest(browser);
  expect(await transform()).toBe(before);
  const copy = await chain.box(id);
  for (const other of ["ada", "greet", "loud", "letter", "bob", "spare"]) {
    const box = await chain.box(other);
    const apart =
      copy.left >= box.right || copy.right <= box.left || copy.top >= box.bottom || copy.bottom <= box.top;
    expect(apart, `the copy covers ${other}`).toBe(true);
  }
  await undoneAtOnce();
});

test("copied nodes are pasted with the wires between them, as one step for undo", async () => {
  const { browser } = window;
  await browser.keys(["Control", "a"]);
  await added(6, ["Control", "c"], ["Control", "v"]);
  await browser.waitUntil(async () => (await browser.$$(".react-flow__edge").length) === 6, {
    timeout: 5_000,
    timeoutMsg: "the wires are not copied",
  });
  await undoneAtOnce();
});

test("a wire dropped on the canvas opens a list of nodes, and the chosen node is added and connected there", async () => {
  const { browser } = window;
  const from = await chain.output("spare");
  const before = await transform();
  const at = moved(from, 120, 40);
  await drag(browser, from, at);
  await browser.$(byId(testIds.quickAdd)).waitForDisplayed({ timeout: 5_000 });
  for (const letter of "output") await browser.keys(letter);
  const [id = ""] = await added(1, ["Enter"]);
  await atRest(browser);
  expect(await browser.$$(".react-flow__edge").length).toBe(4);
  const box = await chain.box(id);
  expect(box.left).toBeLessThan(at.x + 40);
  expect(box.right).toBeGreaterThan(at.x - 40);
  expect(await transform()).toBe(before);
});

test("cards are aligned by key", async () => {
  const { browser } = window;
  await drag(browser, await chain.header("spare"), moved(await chain.header("spare"), 60, 40));
  await atRest(browser);
  expect((await chain.box("spare")).left).not.toBe((await chain.box("ada")).left);
  await browser.keys(["Control", "a"]);
  await browser.keys(["Alt", "a"]);
  await atRest(browser);
  const lefts = await Promise.all(["ada", "greet", "spare"].map(async (id) => (await chain.box(id)).left));
  expect(new Set(lefts).size).toBe(1);
});

test("a group is made by key, and named at once", async () => {
  const { browser } = window;
  await selectNode(browser, "bob");
  await browser.keys(["Control", "a"]);
  await browser.keys(["Control", "g"]);
  const frame = browser.$('[data-testid^="group-"]');
  await frame.waitForExist({ timeout: 5_000, timeoutMsg: "there is no group" });
  for (const letter of "Letters") await browser.keys(letter);
  await browser.keys("Enter");
  await browser.waitUntil(
    async () => (await wholeText(browser, '[data-testid^="group-"]')).includes("Letters"),
    { timeout: 5_000, timeoutMsg: "the group has no name" },
  );
});

test("F2 renames a node and every reference to it", async () => {
  const { browser } = window;
  await selectNode(browser, "ada");
  await browser.keys("F2");
  await browser.$(byId(testIds.renameBox)).waitForDisplayed({ timeout: 5_000 });
  for (const letter of "Grace") await browser.keys(letter);
  await browser.keys("Enter");
  await chain.isWired("grace to greet", "greet to loud", "loud to letter");
  expect(await wholeText(browser, byId(testIds.node("grace")))).toContain("Grace");
  await undoneAtOnce();
});

test("find and replace changes templates", async () => {
  const { browser } = window;
  await browser.keys(["Control", "h"]);
  const panel = byId(testIds.findPanel);
  await browser.$(panel).waitForDisplayed({ timeout: 5_000 });
  for (const letter of "Dear") await browser.keys(letter);
  await browser.waitUntil(
    async () => (await wholeText(browser, byId(testIds.findResults))).includes("Greet"),
    { timeout: 5_000, timeoutMsg: "the template is not found" },
  );
  await browser.$(`${panel} input[aria-label="Replace with"]`).addValue("Hello");
  await browser.$(panel).$("button=Replace all").click();
  await browser.keys("Escape");
  await selectNode(browser, "greet");
  await browser.waitUntil(
    async () => (await browser.$(codeField("template")).getText()).includes("Hello {{ input }}"),
    { timeout: 5_000, timeoutMsg: "nothing is replaced" },
  );
  await undoneAtOnce();
});

test("L lays the flow out from left to right, without overlaps", async () => {
  const { browser } = window;
  await drag(browser, await chain.header("letter"), moved(await chain.header("greet"), 20, 60));
  await atRest(browser);
  await browser.keys("l");
  await browser.waitUntil(async () => (await chain.box("letter")).left >= (await chain.box("loud")).right, {
    timeout: 5_000,
    timeoutMsg: "the last node is not placed to the right of the one before it",
  });
  await atRest(browser);
  const boxes = await Promise.all(["ada", "greet", "loud", "letter", "bob", "spare"].map(chain.box));
  for (const [i, a] of boxes.entries())
    for (const b of boxes.slice(i + 1))
      expect(
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1,
      ).toBe(false);
});
