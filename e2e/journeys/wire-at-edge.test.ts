// A dragged wire at the edge of the canvas: the view stays if the wire only crosses the edge on the way to a
// field, and moves if it waits there. A message in the corner does not cover the list that opens where a wire
// is dropped.

import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { Key } from "webdriverio";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, codeField, deselect, selectNode, socket, wholeText } from "../support/editor";
import { openFile, row, wires, writeFlow } from "../support/flows";
import { drag, middleOf, type Point } from "../support/pointer";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  const flow = {
    name: "Letters",
    nodes: row(
      ["who", "input", { label: "Who", name: "who", default: "Ada" }],
      ["draft", "transform", { label: "Draft", template: "Dear {{ input }}" }],
      ["join", "transform", { label: "Join", template: "" }],
      ["letter", "output", { label: "Letter", name: "letter" }],
    ),
    edges: wires("who.value -> draft.input", "draft.output -> join.input", "join.output -> letter.value"),
  };
  await openFile(window, writeFlow(window, "letters.flow.json", flow));
});
beforeEach(() => atRest(window.browser));
afterAll(() => window?.close());

/** Returns the position of the view, in pixels, and its zoom. */
const view = (): Promise<{ x: number; y: number; zoom: number }> =>
  window.browser.execute(() => {
    const viewport = document.querySelector(".react-flow__viewport") as Element;
    const { a: zoom, e: x, f: y } = new DOMMatrix(getComputedStyle(viewport).transform);
    return { x, y, zoom };
  });

const canvasBox = (): Promise<{ left: number; top: number; right: number; bottom: number }> =>
  window.browser.execute(() => {
    const { left, top, right, bottom } = (
      document.querySelector(".react-flow") as Element
    ).getBoundingClientRect();
    return { left, top, right, bottom };
  });

/** Presses at `from`, moves through `stops`, stays at the last for `waits` milliseconds and releases. */
async function dragWire(from: Point, stops: Point[], waits: number): Promise<void> {
  let pointer = window.browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...from, duration: 0 })
    .down()
    .move({ x: from.x + 2, y: from.y + 2, duration: 20 })
    .move({ x: from.x, y: from.y, duration: 20 });
  for (const stop of stops)
    pointer = pointer.move({ x: Math.round(stop.x), y: Math.round(stop.y), duration: 50 });
  await pointer.pause(waits).up().perform();
}

test("a wire dragged slowly to a field does not move the view", async () => {
  const { browser } = window;
  await selectNode(browser, "join");
  const before = await view();
  const from = await middleOf(browser, socket("draft", "output", "source"));
  const field = await middleOf(browser, codeField("template"));
  const { right } = await canvasBox();
  await dragWire(from, [{ x: right - 30, y: field.y }, { x: right + 12, y: field.y }, field], 900);
  await browser.waitUntil(
    async () => (await wholeText(browser, codeField("template"))).includes("{{ draft }}"),
    { timeout: 5_000, timeoutMsg: "the field does not have the name of the value" },
  );
  expect(await view()).toEqual(before);
});

test("a wire held at the edge scrolls the view", async () => {
  const { browser } = window;
  await deselect(browser);
  const before = await view();
  const from = await middleOf(browser, socket("who", "value", "source"));
  const { left, right, bottom, top } = await canvasBox();
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  await dragWire(from, [middle, { x: right - 8, y: middle.y }], 1_500);
  const after = await view();
  expect(after.x).toBeLessThan(before.x - 100);
  expect(after.y).toBe(before.y);
  await browser.keys(Key.Escape);
  await browser.keys("1");
});

test("a message in the corner waits while the list of a dropped wire is open", async () => {
  const { browser } = window;
  await deselect(browser);
  await selectNode(browser, "letter");
  await browser.keys(Key.Delete);
  await browser.$(byId(testIds.toast)).waitForDisplayed({ timeout: 5_000 });
  const message = await middleOf(browser, byId(testIds.toast));
  const from = await middleOf(browser, socket("who", "value", "source"));
  await drag(browser, from, { x: message.x - 40, y: message.y - 120 });
  await browser.$(byId(testIds.quickAdd)).waitForDisplayed({ timeout: 5_000 });
  await window.picture("quick-add-and-message");
  const covered = await browser.execute((list) => {
    const box = (document.querySelector(list) as Element).getBoundingClientRect();
    const places = [0.1, 0.3, 0.5, 0.7, 0.9].map((part) =>
      document.elementFromPoint(box.x + box.width / 2, box.y + box.height * part),
    );
    return places.filter((found) => !found?.closest(list)).length;
  }, byId(testIds.quickAdd));
  expect(covered).toBe(0);
  // The wire remains while the list is open.
  const wire = browser.$(`${byId(testIds.droppedWire)} path`);
  expect(await wire.isExisting()).toBe(true);
  await browser.keys(Key.Escape);
  await wire.waitForExist({ reverse: true, timeout: 5_000, timeoutMsg: "Escape does not withdraw the wire" });
  await browser
    .$(byId(testIds.toast))
    .waitForDisplayed({ timeout: 5_000, timeoutMsg: "the message is lost" });
});
