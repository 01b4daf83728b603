// A card gets the focus immediately if it is drawn, otherwise once it is drawn. The focus is never taken from
// another element.

import type { FocusEvent } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CanvasView, mountCanvasView } from "../../session/canvas-view";
import { focusCanvas, focusCard, keepFocusInView } from "./focus";

const card = (id: string) => {
  const node = document.createElement("div");
  node.className = "react-flow__node";
  node.dataset.id = id;
  node.tabIndex = 0;
  document.querySelector('[data-region="canvas"]')?.append(node);
  return node;
};
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// The test document has no `CSS.escape`.
vi.stubGlobal("CSS", { escape: (text: string) => text });

beforeEach(() => {
  document.body.innerHTML =
    '<div data-region="canvas" tabindex="-1"></div><input id="menu"><input id="other">';
  document.querySelector<HTMLElement>("#menu")?.focus();
});
afterEach(() => {
  document.body.innerHTML = "";
  vi.restoreAllMocks();
});

test("a card that is drawn has the focus when the next key comes", () => {
  const node = card("a");
  focusCard("a");
  expect(document.activeElement).toBe(node);
});

test("a card that is being added gets it once it is there, also after the menu has gone", async () => {
  focusCard("a");
  document.querySelector("#menu")?.remove();
  focusCanvas();
  const node = card("a");
  await frame();
  expect(document.activeElement).toBe(node);
});

test("whoever takes the focus meanwhile keeps it", async () => {
  focusCard("a");
  const other = document.querySelector<HTMLElement>("#other");
  other?.focus();
  card("a");
  await frame();
  expect(document.activeElement).toBe(other);
});

test("the view follows the focus that a key moves, and no other", () => {
  const keepInView = vi.fn();
  const unmount = mountCanvasView({ keepInView } as unknown as CanvasView);
  const node = card("a");
  const matches = vi.spyOn(node, "matches");
  matches.mockReturnValue(false);
  keepFocusInView({ target: node } as unknown as FocusEvent<HTMLElement>);
  expect(keepInView).not.toHaveBeenCalled();
  matches.mockReturnValue(true);
  keepFocusInView({ target: node } as unknown as FocusEvent<HTMLElement>);
  expect(keepInView).toHaveBeenCalledWith(["a"]);
  unmount();
});
