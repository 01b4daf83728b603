// Escape cancels a drag without an effect: of a card, a wire, the end of a wire, a group's frame.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, socket, wires } from "../support/editor";
import { greeting, openFile, writeFlow } from "../support/flows";
import { drag, dragAndEscape, middleOf, type Point } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  const { nodes, ...rest } = greeting();
  const groups = [
    { id: "pair", title: "Pair", colour: "blue", nodes: nodes.slice(0, 2).map((node) => node.id) },
  ];
  await openFile(window, writeFlow(window, "greeting.flow.json", { ...rest, nodes, groups }));
  await atRest(window.browser);
});
afterAll(() => window?.close());

const below = ({ x, y }: Point): Point => ({ x, y: y + 160 });

/** Expects that the drag created no undo step and no question, and that the card is back in its old place. */
async function nothingCameOf(node: string, before: Point): Promise<void> {
  const { browser } = window;
  await atRest(browser);
  expect(await middleOf(browser, `${byId(testIds.node(node))} header`)).toEqual(before);
  expect(await browser.$(byId(testIds.undoButton)).isEnabled()).toBe(false);
  expect(await browser.$(byId(testIds.quickAdd)).isExisting()).toBe(false);
  expect(await browser.$("[role=alert] line").isExisting()).toBe(false);
}

test("Escape returns a dragged card to its place, and it can be dragged again", async () => {
  const { browser } = window;
  const header = `${byId(testIds.node("letter"))} header`;
  const before = await middleOf(browser, header);
  await dragAndEscape(browser, before, below(before));
  await nothingCameOf("letter", before);
  await drag(browser, before, below(before));
  await atRest(browser);
  expect((await middleOf(browser, header)).y).toBeGreaterThan(before.y + 100);
  await click(browser, byId(testIds.undoButton));
  await nothingCameOf("letter", before);
});

test("Escape drops a new wire without connecting it, even over a socket", async () => {
  const { browser } = window;
  const before = await middleOf(browser, `${byId(testIds.node("letter"))} header`);
  const from = await middleOf(browser, socket("who", "value", "source"));
  await dragAndEscape(browser, from, below(from));
  await nothingCameOf("letter", before);
  await dragAndEscape(browser, from, await middleOf(browser, socket("letter", "value", "target")));
  await nothingCameOf("letter", before);
  expect(await wires(browser)).toHaveLength(2);
  // The next wire can be drawn as usual.
  await drag(browser, from, below(from));
  await browser.$(byId(testIds.quickAdd)).waitForDisplayed();
  await browser.keys("Escape");
});

test("Escape returns the frame of a group together with its cards", async () => {
  const { browser } = window;
  const before = await middleOf(browser, `${byId(testIds.node("who"))} header`);
  const frame = await middleOf(browser, "[data-frame] > header");
  await dragAndEscape(browser, frame, below(frame));
  await nothingCameOf("who", before);
});
