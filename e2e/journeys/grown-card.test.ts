// A card that grows during a run: the flow is fitted again, so that the card is not covered by the minimap.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, runEnds, startRun } from "../support/editor";
import { openFile, wires, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  const text = "A line of a text that is long enough to be shown in several. ".repeat(5);
  // The pause between iterations lets the flow be fitted before the last card grows.
  const delay = { type: "fixed", interval: "PT1S" };
  const loop = { label: "Twice", maxIterations: 2, delay };
  const node = (id: string, type: string, x: number, y: number, data: object = {}) => ({
    id,
    type,
    position: { x, y },
    data,
  });
  const flow = {
    name: "Corner",
    nodes: [
      node("text", "input", 0, 0, { label: "Text", name: "text", default: text }),
      node("twice", "loop", 180, 0, loop),
      node("work", "transform", 400, 0, { label: "Work", template: "{{ input }}" }),
      node("exit", "exit", 570, 0),
      node("shown", "output", 740, 180, { label: "Shown", name: "shown" }),
    ],
    edges: wires(
      "text.value -> twice.input",
      "twice.body -> work.input",
      "work.output -> exit.input",
      "exit.output -> shown.value",
    ),
  };
  await openFile(window, writeFlow(window, "corner.flow.json", flow));
});
afterAll(() => window?.close());

/** Returns the height of the card, in pixels of the flow, and whether the minimap covers it. */
const card = (): Promise<{ height: number; covered: boolean }> =>
  window.browser.execute(() => {
    const found = document.querySelector<HTMLElement>('.react-flow__node[data-id="shown"]');
    const box = found?.getBoundingClientRect();
    const map = document.querySelector('[aria-label="Minimap"]')?.getBoundingClientRect();
    if (!found || !box || !map) throw new Error("the card or the minimap is not on the page");
    return { height: found.offsetHeight, covered: box.right > map.left && box.bottom > map.top };
  });

test("a card that has grown is in view, and the minimap does not cover it", async () => {
  const { browser } = window;
  const before = await card();
  await startRun(browser);
  expect(await runEnds(browser)).toBe("done");
  await browser.waitUntil(async () => (await card()).height > before.height, {
    timeout: 5_000,
    timeoutMsg: "the card does not grow",
  });
  await browser.waitUntil(async () => !(await card()).covered, {
    timeout: 5_000,
    timeoutMsg: "the minimap covers the card",
  });
  await atRest(browser, 4);
  await window.picture("grown-card");
  expect((await card()).covered).toBe(false);
});
