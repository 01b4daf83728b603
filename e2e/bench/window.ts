// `npm run bench:window`: measures the time until the built window first paints and until large flows are
// open, and its frames while a flow is panned, zoomed and dragged. Prints tables and asserts no times,
// because the figures depend on the machine.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { byId, flowIsOpen, textOf } from "../support/editor";
import { chains, type Flow, mixed } from "../support/large-flows";
import { middleOf } from "../support/pointer";
import { type Browser, openWindow, type Window } from "../support/window";
import { drawBox, type Frames, frames, sweep, table, turnWheel } from "./frames";

let window: Window;
beforeEach(async () => {
  window = await openWindow({ display: inject("display") });
});
afterEach(async () => {
  await window?.close();
});

/** Opens the flow. Returns the milliseconds until its nodes are drawn and until nothing moves any more. */
async function open(flow: Flow): Promise<{ drawn: number; atRest: number }> {
  const { browser } = window;
  const file = path.join(window.folder, "large.flow.json");
  writeFileSync(file, JSON.stringify(flow));
  window.answerDialog(file);
  await browser.execute(() => {
    const watch = globalThis as unknown as { drawnAfter: number | null };
    watch.drawnAfter = null;
    const begun = performance.now();
    const look = () => {
      const node = document.querySelector<HTMLElement>(".react-flow__node");
      if (node?.checkVisibility({ visibilityProperty: true })) watch.drawnAfter = performance.now() - begun;
      else requestAnimationFrame(look);
    };
    look();
  });
  const begun = Date.now();
  await browser.$('//button[contains(., "Open file")]').click();
  await flowIsOpen(browser);
  const atRest = Date.now() - begun;
  const drawn = await browser.execute(() => (globalThis as unknown as { drawnAfter: number }).drawnAfter);
  return { drawn, atRest };
}

const EMPTY = { x: 640, y: 110 };
const CORNER = { x: 232, y: 64 };
const MIDDLE = { x: 640, y: 460 };

/**
 * Returns the middle of the header of a visible node with free space around it; throws if no such node
 * exists.
 */
async function grip(browser: Browser): Promise<{ x: number; y: number }> {
  const id = await browser.execute(() => {
    const inside = [...document.querySelectorAll(".react-flow__node")].find((node) => {
      const box = node.getBoundingClientRect();
      return box.x > 420 && box.y > 200 && box.right < 900 && box.bottom < 700;
    });
    return inside?.getAttribute("data-id") ?? null;
  });
  if (id === null) throw new Error("no node stands in the middle of the view");
  const middle = await middleOf(browser, byId(`node-${id}`));
  const header = await browser.execute((node) => {
    const box = document.querySelector(`.react-flow__node[data-id="${node}"]`)?.getBoundingClientRect();
    return box ? box.y + box.height * 0.15 : 0;
  }, id);
  return { x: middle.x, y: Math.round(header) };
}

async function measured(browser: Browser): Promise<[string, Frames][]> {
  const rows: [string, Frames][] = [];
  const measure = async (name: string, gesture: () => Promise<void>) => {
    rows.push([name, await frames(window, gesture)]);
    await browser.pause(500);
  };
  await measure("nothing moves", () => browser.pause(1500).then(() => undefined));
  // The box is drawn before panning: the driver leaves the middle button pressed, and then no box can be drawn.
  await measure("draw a box, whole flow in view", () => drawBox(browser, CORNER, { x: 700, y: 600 }));
  expect(await textOf(browser, '[data-region="status"]')).toMatch(/\d\d selected/);
  await browser.keys("Escape");
  await measure("pan, whole flow in view", () => sweep(browser, EMPTY, 1));
  await measure("zoom, whole flow in view", () => turnWheel(browser, MIDDLE));
  const small = await grip(browser);
  await measure("drag a node, whole flow in view", () => sweep(browser, small, 0));
  await browser.execute(() => (document.querySelector(".react-flow__pane") as HTMLElement | null)?.focus());
  await browser.keys(["0"]);
  await browser.pause(1200);
  await measure("pan, at 100 %", () => sweep(browser, MIDDLE, 1));
  await measure("zoom, from 100 %", () => turnWheel(browser, MIDDLE));
  const large = await grip(browser);
  await measure("drag a node, at 100 %", () => sweep(browser, large, 0));
  return rows;
}

test.each([
  ["300 nodes, 285 wires", chains(300, 20)],
  ["1,000 nodes, 1,500 wires, 8 loops, every model warns", mixed(1000, 1500)],
  ["1,000 nodes, 1,500 wires, 8 loops", mixed(1000, 1500, 32, { provider: "builtin", builtin: "reviser" })],
])("%s", { timeout: 300_000 }, async (name, flow) => {
  const { browser } = window;
  const paint = await browser.execute(() => {
    const entry = performance.getEntriesByName("first-contentful-paint")[0];
    return entry ? Math.round(entry.startTime) : null;
  });
  const { drawn, atRest } = await open(flow);
  const rows = await measured(browser);
  console.log(
    [
      `${name}: first paint ${paint === null ? "not told by this engine" : `after ${paint} ms`}; opened, nodes drawn after ${Math.round(drawn)} ms, still after ${atRest} ms`,
      table(rows),
    ].join("\n"),
  );
  expect(rows.every(([, { count }]) => count > 0)).toBe(true);
});
