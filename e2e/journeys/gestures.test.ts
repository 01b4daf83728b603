// What a hand expects of any canvas, with the pointer and the keys of the real window: it pans over nodes, copies, joins, replaces,
// picks up wires and runs a part of a flow.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { Key } from "webdriverio";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, deselect, nodes, selectNode, socket, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { type DragWith, drag, dragHolding, middleOf, type Point } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  const flow = {
    name: "Chain",
    nodes: [
      ...row(
        ["ada", "input", { label: "Ada", name: "ada", default: "Ada" }],
        ["greet", "transform", { label: "Greet", template: "Dear {{ input }}" }],
        ["loud", "transform", { label: "Loud", template: "{{ input }}!" }],
        ["letter", "output", { label: "Letter", name: "letter" }],
      ),
      ...row(
        ["bob", "input", { label: "Bob", name: "bob", default: "Bob" }],
        ["spare", "transform", { label: "Spare", template: "kept" }],
      ).map((node) => ({ ...node, position: { x: node.position.x, y: 340 } })),
    ],
    edges: wires("ada.value -> greet.input", "greet.output -> loud.input", "loud.output -> letter.value"),
  };
  await openFile(window, writeFlow(window, "chain.flow.json", flow));
});
afterAll(() => window?.close());

const CHAIN = ["ada to greet", "greet to loud", "loud to letter"];

/** The wires by their ends, as they are read out. */
const joined = () =>
  window.browser.execute(() =>
    [...document.querySelectorAll(".react-flow__edge")]
      .map((wire) => (wire.getAttribute("aria-label") ?? "").toLowerCase().replace(/^.* from /, ""))
      .sort(),
  );

async function isWired(...expected: string[]): Promise<void> {
  let found: string[] = [];
  const wanted = expected.sort();
  await window.browser
    .waitUntil(
      async () => {
        found = await joined();
        return found.join() === wanted.join();
      },
      { timeout: 5_000 },
    )
    .catch(() => expect(found).toEqual(wanted));
}

/** A message in the corner has these words. */
const says = (words: string) =>
  window.browser.waitUntil(
    () =>
      window.browser.execute(
        (toast, wanted) =>
          [...document.querySelectorAll(toast)].some((one) => one.textContent?.includes(wanted)),
        byId(testIds.toast),
        words,
      ),
    { timeout: 5_000, timeoutMsg: `no message says “${words}”` },
  );

const header = (id: string) => middleOf(window.browser, `${byId(testIds.node(id))} header`);
const input = (id: string, name = "input") => middleOf(window.browser, socket(id, name, "target"));
const output = (id: string, name: string) => middleOf(window.browser, socket(id, name, "source"));
const moved = ({ x, y }: Point, dx: number, dy: number): Point => ({ x: x + dx, y: y + dy });

/** Takes back all that the test before did. */
beforeEach(async () => {
  const { browser } = window;
  const undo = browser.$(byId(testIds.undoButton));
  for (let i = 0; i < 5 && (await undo.isEnabled()); i++) await undo.click();
  await deselect(browser);
  await browser.keys("1");
  await atRest(browser);
  await isWired(...CHAIN);
});

/** A drag on a card moves the view, and no card in the flow. */
async function pansOverCards(holding: DragWith): Promise<void> {
  const { browser } = window;
  const [greet, letter] = [await header("greet"), await header("letter")];
  await dragHolding(browser, greet, moved(greet, 40, 90), holding);
  await atRest(browser);
  const [nowGreet, nowLetter] = [await header("greet"), await header("letter")];
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
  const greet = await header("greet");
  await dragHolding(browser, greet, moved(greet, 60, 260), [Key.Alt]);
  await browser.waitUntil(async () => (await nodes(browser)).length === before + 1, {
    timeout: 5_000,
    timeoutMsg: "there is no copy",
  });
  await atRest(browser);
  expect((await wholeText(browser, ".react-flow__nodes")).match(/Greet/g)?.length).toBeGreaterThan(1);
  await isWired(...CHAIN);
});

test("a wire that is dropped on an occupied input takes the place of the other", async () => {
  const { browser } = window;
  await drag(browser, await output("bob", "value"), await input("greet"));
  await isWired("bob to greet", "greet to loud", "loud to letter");
  await says("Replaced the wire from “Ada”");
});

test("a press on an input picks its wire up: it goes to another input, or off", async () => {
  const { browser } = window;
  await drag(browser, await input("loud"), await input("spare"));
  await isWired("ada to greet", "greet to spare", "loud to letter");
  const at = await input("greet");
  await drag(browser, at, moved(at, -30, 120));
  await isWired("greet to spare", "loud to letter");
});

test("what is deleted from a chain is bridged", async () => {
  const { browser } = window;
  await selectNode(browser, "greet");
  await browser.keys("Delete");
  await isWired("ada to loud", "loud to letter");
  await says("joined “Ada” to “Loud”");
});

test("a note is written in place, and has a colour", async () => {
  const { browser } = window;
  const before = new Set(await nodes(browser));
  await click(browser, '[aria-label="Add note"]');
  await browser.waitUntil(async () => (await nodes(browser)).length === before.size + 1);
  const [id = ""] = (await nodes(browser)).filter((one) => !before.has(one));
  await atRest(browser);
  await browser.$(`${byId(testIds.node(id))} .note-text`).doubleClick();
  await browser
    .$(byId("note-edit"))
    .waitForDisplayed({ timeout: 5_000, timeoutMsg: "nothing can be written" });
  for (const letter of "Mind the gap") await browser.keys(letter);
  await browser.keys("Escape");
  expect(await wholeText(browser, byId(testIds.node(id)))).toContain("Mind the gap");
  await click(browser, `${byId(testIds.node(id))} .note-swatch.group-green`);
  await browser.waitUntil(
    async () => (await browser.$(byId(testIds.node(id))).getAttribute("class"))?.includes("group-green"),
    { timeout: 5_000, timeoutMsg: "the note has no colour" },
  );
});

test("a key runs to the selected node and not beyond it, another runs from there", async () => {
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
