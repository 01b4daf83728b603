// `npm run bench:window`: what the built window takes to paint first, and its frames while a large flow is panned and
// dragged. Prints a table and asserts nothing of time: the figures are this machine's.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId, flowIsOpen } from "../support/editor";
import { middleOf, type Point } from "../support/pointer";
import { type Browser, openWindow, type Window } from "../support/window";

const NODES = 300;
const COLUMNS = 20;

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(async () => {
  await window?.close();
});

/** Chains of Transforms, row by row. */
function largeFlow(): unknown {
  const nodes = [];
  const edges = [];
  for (let index = 0; index < NODES; index++) {
    const column = index % COLUMNS;
    nodes.push({
      id: `n${index}`,
      type: column === 0 ? "input" : column === COLUMNS - 1 ? "output" : "transform",
      position: { x: column * 260, y: Math.floor(index / COLUMNS) * 200 },
      data: column === 0 || column === COLUMNS - 1 ? { name: `v${index}` } : { template: "{{ input }}" },
    });
    if (column > 0) edges.push({ id: `e${index}`, source: `n${index - 1}`, target: `n${index}` });
  }
  return { schemaVersion: 1, name: "Large", nodes, edges };
}

interface Frames {
  count: number;
  median: number;
  p95: number;
  longest: number;
}

/** The frames that the page paints while `gesture` goes on, in milliseconds. */
async function frames(browser: Browser, gesture: () => Promise<void>): Promise<Frames> {
  await browser.execute(() => {
    const times: number[] = [];
    let last = performance.now();
    const page = globalThis as unknown as { frameTimes: number[]; frameWatch: boolean };
    page.frameTimes = times;
    page.frameWatch = true;
    const look = (now: number) => {
      times.push(now - last);
      last = now;
      if (page.frameWatch) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await gesture();
  const times = await browser.execute(() => {
    const page = globalThis as unknown as { frameTimes: number[]; frameWatch: boolean };
    page.frameWatch = false;
    return page.frameTimes;
  });
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { count: sorted.length, median: at(0.5), p95: at(0.95), longest: at(1) };
}

/** Presses at `from` and goes to and fro, some 60 moves a second. */
async function sweep(browser: Browser, from: Point, button: 0 | 1): Promise<void> {
  let gesture = browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...from, duration: 0 })
    .down({ button });
  for (let step = 1; step <= 90; step++) {
    const x = Math.round(from.x + 140 * Math.sin(step / 8));
    const y = Math.round(from.y + 60 * Math.sin(step / 5));
    gesture = gesture.move({ x, y, duration: 16 });
  }
  await gesture.up({ button }).perform();
}

test("first paint, and a flow of 300 nodes under the pointer", async () => {
  const { browser } = window;
  const paint = await browser.execute(() => {
    const entry = performance.getEntriesByName("first-contentful-paint")[0];
    return entry ? Math.round(entry.startTime) : null;
  });
  const file = path.join(window.folder, "large.flow.json");
  writeFileSync(file, JSON.stringify(largeFlow()));
  window.answerDialog(file);
  const opened = Date.now();
  await browser.$('//button[contains(., "Open file")]').click();
  await flowIsOpen(browser);
  const open = Date.now() - opened;

  const rows: [string, Frames][] = [];
  rows.push(["nothing moves", await frames(browser, () => browser.pause(1500).then(() => undefined))]);
  const empty = { x: 640, y: 120 };
  rows.push(["pan, whole flow in view", await frames(browser, () => sweep(browser, empty, 1))]);
  await browser.execute(() => (document.querySelector(".react-flow__pane") as HTMLElement | null)?.focus());
  await browser.keys(["0"]);
  await browser.pause(800);
  rows.push(["pan, at 100 %", await frames(browser, () => sweep(browser, { x: 640, y: 420 }, 1))]);
  const visible = await browser.execute(() => {
    const inside = [...document.querySelectorAll(".react-flow__node")].find((node) => {
      const box = node.getBoundingClientRect();
      return box.x > 420 && box.y > 200 && box.right < 900 && box.bottom < 700;
    });
    return inside?.getAttribute("data-id") ?? null;
  });
  if (visible) {
    const grip = await middleOf(browser, `${byId(`node-${visible}`)}`);
    const head = { x: grip.x, y: grip.y - 20 };
    rows.push(["drag a node, at 100 %", await frames(browser, () => sweep(browser, head, 0))]);
  }
  console.log(`first contentful paint after navigation: ${paint ?? "not told by this engine"} ms`);
  console.log(`opening ${NODES} nodes until they rest: ${open} ms`);
  console.log("gesture                   frames  median ms  p95 ms  longest ms");
  for (const [name, { count, median, p95, longest }] of rows) {
    console.log(
      `${name.padEnd(26)}${String(count).padStart(6)}${String(median).padStart(11)}${String(p95).padStart(8)}${String(longest).padStart(12)}`,
    );
  }
  expect(rows.every(([, { count }]) => count > 0)).toBe(true);
});
