// The focus on the canvas: at once where a card is drawn, once it is drawn otherwise, never taken from somebody else.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { focusCanvas, focusCard } from "./focus";

const card = (id: string) => {
  const node = document.createElement("div");
  node.className = "react-flow__node";
  node.dataset.id = id;
  node.tabIndex = 0;
  document.querySelector(".canvas")?.append(node);
  return node;
};
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// The tests' document has none of its own.
vi.stubGlobal("CSS", { escape: (text: string) => text });

beforeEach(() => {
  document.body.innerHTML = '<div class="canvas" tabindex="-1"></div><input id="menu"><input id="other">';
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
