// A node inserted into a wire: with the plus next to it, and with key A on a selected wire. The nodes behind
// it move to make space, in one step.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, nodes, wires } from "../support/editor";
import { greeting, openFile, writeFlow } from "../support/flows";
import { middleOf, middleOfWire, pressAt } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  await openFile(window, writeFlow(window, "greeting.flow.json", greeting()));
});
afterAll(() => window?.close());
beforeEach(async () => {
  expect(await nodes(window.browser)).toHaveLength(3);
  await atRest(window.browser);
});

const places = (): Promise<Record<string, [left: number, right: number]>> =>
  window.browser.execute(() =>
    Object.fromEntries(
      [...document.querySelectorAll(".react-flow__node")].map((node) => {
        const { left, right } = node.getBoundingClientRect();
        return [node.getAttribute("data-id") ?? "", [left, right] as [number, number]];
      }),
    ),
  );

/**
 * Selects a Transform in the open menu, and checks that it is in the wire and does not overlap its
 * neighbours.
 */
async function transformIsInserted(): Promise<void> {
  const { browser } = window;
  const search = browser.$(`${byId(testIds.quickAdd)} input`);
  await search.waitForDisplayed({ timeout: 5_000, timeoutMsg: "the menu did not open" });
  expect(await search.getAttribute("placeholder")).toBe("Insert into the wire");
  await search.addValue("transform");
  await browser.keys("Enter");
  await browser.waitUntil(async () => (await nodes(browser)).length === 4, {
    timeout: 5_000,
    timeoutMsg: "no node was inserted",
  });
  await atRest(browser);
  const at = await places();
  const [added] = Object.keys(at).filter((id) => !["who", "greet", "letter"].includes(id));
  const order = ["who", added ?? "", "greet", "letter"].map((id) => at[id] ?? [0, 0]);
  for (const [i, [left]] of order.entries()) {
    if (i > 0) expect(left, `card ${i}`).toBeGreaterThan((order[i - 1] as [number, number])[1]);
  }
  expect(await wires(browser)).toHaveLength(3);
  await window.picture("inserted-into-wire");
  // One undo restores everything.
  await browser.keys(["Control", "z"]);
  await browser.waitUntil(async () => (await nodes(browser)).length === 3, { timeoutMsg: "not undone" });
  expect(await wires(browser)).toHaveLength(2);
}

test("the plus beside a wire that the pointer rests on", async () => {
  const { browser } = window;
  const before = await places();
  const at = await middleOfWire(browser, "e1");
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ x: at.x - 3, y: at.y + 60, duration: 0 })
    .move({ ...at, duration: 60 })
    .perform();
  await browser
    .$(byId(testIds.wireInsert))
    .waitForDisplayed({ timeout: 5_000, timeoutMsg: "there is no plus" });
  await window.picture("wire-insert");
  const plus = await middleOf(browser, byId(testIds.wireInsert));
  await pressAt(browser, plus);
  await transformIsInserted();
  await atRest(browser);
  expect(await places()).toEqual(before);
});

test("key A on a wire that is chosen, and its menu", async () => {
  const { browser } = window;
  const at = await middleOfWire(browser, "e1");
  await pressAt(browser, at);
  await browser.keys("a");
  await transformIsInserted();

  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...(await middleOfWire(browser, "e1")), duration: 0 })
    .down(2)
    .up(2)
    .perform();
  await click(browser, `${byId(testIds.canvasMenu)} [role=menuitem]`);
  await transformIsInserted();
});

test("an inserted Condition continues along its first branch, without problems", async () => {
  const { browser } = window;
  await pressAt(browser, await middleOfWire(browser, "e1"));
  await browser.keys("a");
  const search = browser.$(`${byId(testIds.quickAdd)} input`);
  await search.waitForDisplayed({ timeout: 5_000 });
  await search.addValue("condition");
  await browser.keys("Enter");
  await browser.waitUntil(async () => (await nodes(browser)).length === 4, {
    timeoutMsg: "no node was inserted",
  });
  await atRest(browser);
  const bad = () => browser.$$(".react-flow__edge-path[data-bad]").length;
  expect(await bad()).toBe(0);
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.runButton)).getAttribute("aria-disabled")) === "false",
    { timeout: 5_000, timeoutMsg: "the flow cannot be run" },
  );
  await window.picture("condition-in-wire");
  await browser.keys(["Control", "z"]);
});

test("a note is written at once", async () => {
  const { browser } = window;
  await click(browser, 'button[aria-label="Add note"]');
  await browser.waitUntil(async () => (await nodes(browser)).length === 4, {
    timeoutMsg: "no note was added",
  });
  await browser.waitUntil(
    () => browser.execute(() => document.activeElement?.matches('[data-region="side"] textarea') ?? false),
    { timeout: 5_000, timeoutMsg: "its text does not have the focus" },
  );
  for (const key of "hello") await browser.keys(key);
  const [note] = (await nodes(browser)).filter((id) => !["who", "greet", "letter"].includes(id));
  const text = `.react-flow__node[data-id="${note}"]`;
  await browser.waitUntil(async () => (await browser.$(text).getText()).includes("hello"), {
    timeout: 5_000,
    timeoutMsg: "what was typed is not on the note",
  });
  await window.picture("note-written");
  for (const _ of [1, 2]) await browser.keys(["Control", "z"]);
});
