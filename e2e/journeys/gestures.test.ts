// Standard canvas gestures with the pointer and the keys of the real window: panning over nodes, copying,
// joining, replacing, picking up wires and running a part of a flow.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { Key } from "webdriverio";
import { testIds } from "../../ui/src/testids";
import { CHAIN, Chain, moved } from "../support/chain";
import { atRest, byId, click, nodes, selectNode, wholeText } from "../support/editor";
import { type DragWith, drag, dragHolding } from "../support/pointer";
import type { Window } from "../support/window";

let chain: Chain;
let window: Window;
beforeAll(async () => {
  chain = await Chain.open(inject("display"));
  window = chain.window;
});
afterAll(() => window?.close());
beforeEach(() => chain.reset());

/** Expects that a drag that starts on a card moves the view, and leaves the card where it is in the flow. */
async function pansOverCards(holding: DragWith): Promise<void> {
  const { browser } = window;
  const [greet, letter] = [await chain.header("greet"), await chain.header("letter")];
  await dragHolding(browser, greet, moved(greet, 40, 90), holding);
  await atRest(browser);
  const [nowGreet, nowLetter] = [await chain.header("greet"), await chain.header("letter")];
  expect(nowGreet.y - greet.y).toBeGreaterThan(60);
  expect([nowGreet.x - greet.x, nowGreet.y - greet.y]).toEqual([
    nowLetter.x - letter.x,
    nowLetter.y - letter.y,
  ]);
  expect(await browser.$(byId(testIds.undoButton)).isEnabled()).toBe(false);
}

test("a drag on a card with Space held pans", () => pansOverCards([Key.Space]));

test("a drag on a card with the hand tool pans", async () => {
  await window.browser.keys("h");
  await pansOverCards([]);
  await window.browser.keys("v");
});

test("a drag with Alt held copies", async () => {
  const { browser } = window;
  const before = (await nodes(browser)).length;
  const greet = await chain.header("greet");
  await dragHolding(browser, greet, moved(greet, 60, 260), [Key.Alt]);
  await browser.waitUntil(async () => (await nodes(browser)).length === before + 1, {
    timeout: 5_000,
    timeoutMsg: "there is no copy",
  });
  await atRest(browser);
  expect((await wholeText(browser, ".react-flow__nodes")).match(/Greet/g)?.length).toBeGreaterThan(1);
  await chain.isWired(...CHAIN);
});

test("a wire that is dropped on an occupied input takes the place of the other", async () => {
  const { browser } = window;
  await drag(browser, await chain.output("bob", "value"), await chain.input("greet"));
  await chain.isWired("bob to greet", "greet to loud", "loud to letter");
  await chain.says("Replaced the wire from “Ada”");
});

test("a press on an input picks up its wire, which can be moved to another input or removed", async () => {
  const { browser } = window;
  await drag(browser, await chain.input("loud"), await chain.input("spare"));
  await chain.isWired("ada to greet", "greet to spare", "loud to letter");
  const at = await chain.input("greet");
  await drag(browser, at, moved(at, -30, 120));
  await chain.isWired("greet to spare", "loud to letter");
});

test("deleting a node of a chain connects its neighbours", async () => {
  const { browser } = window;
  await selectNode(browser, "greet");
  await browser.keys("Delete");
  await chain.isWired("ada to loud", "loud to letter");
  await chain.says("joined “Ada” to “Loud”");
});

test("a note is written in place, and has a colour", async () => {
  const { browser } = window;
  const before = new Set(await nodes(browser));
  await click(browser, '[aria-label="Add note"]');
  await browser.waitUntil(async () => (await nodes(browser)).length === before.size + 1);
  const [id = ""] = (await nodes(browser)).filter((one) => !before.has(one));
  await atRest(browser);
  await browser.$(`${byId(testIds.node(id))} ${byId(testIds.noteText)}`).doubleClick();
  await browser
    .$(byId("note-edit"))
    .waitForDisplayed({ timeout: 5_000, timeoutMsg: "nothing can be written" });
  for (const letter of "Mind the gap") await browser.keys(letter);
  await browser.keys("Escape");
  expect(await wholeText(browser, byId(testIds.node(id)))).toContain("Mind the gap");
  await click(browser, `${byId(testIds.node(id))} [role=radio][aria-label="green"]`);
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.node(id))).getAttribute("class"))?.includes("group-green"),
    { timeout: 5_000, timeoutMsg: "the note has no colour" },
  );
});

test("one key runs up to the selected node, another runs from it", async () => {
  const { browser } = window;
  const card = (id: string) => wholeText(browser, byId(testIds.node(id)));
  await selectNode(browser, "greet");
  await browser.keys([Key.Ctrl, Key.Alt, "Enter"]);
  await browser.waitUntil(
    async () => (await card("greet")).includes("Dear Ada") && (await card("loud")).includes("Skipped"),
    { timeout: 10_000, timeoutMsg: "nothing runs to the node" },
  );
  await browser.keys([Key.Ctrl, Key.Shift, "Enter"]);
  await browser.waitUntil(async () => (await card("loud")).includes("Dear Ada!"), {
    timeout: 10_000,
    timeoutMsg: "nothing runs from the node",
  });
});
