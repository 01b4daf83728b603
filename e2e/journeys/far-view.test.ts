// A whole large flow in view: its cards and wires are one bitmap, and each can still be pointed at, selected,
// moved and wired.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { atRest, byId, click, deselect, flowIsOpen } from "../support/editor";
import { mixed } from "../support/large-flows";
import { type Point, pressAt } from "../support/pointer";
import { type Browser, openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const BITMAP = byId(testIds.overviewBitmap);

const flow = mixed(160, 200, 13);

/**
 * Returns a point next to or in a node, in client pixels. `at` is the distance from the node's upper left
 * corner, or with `fromRight` from its upper right corner, in pixels of the flow.
 */
async function pointNear(browser: Browser, id: string, at: Point & { fromRight?: boolean }): Promise<Point> {
  const { box, zoom } = await browser.execute((node) => {
    const { left, right, top } =
      document.querySelector(`.react-flow__node[data-id="${node}"]`)?.getBoundingClientRect() ??
      new DOMRect();
    const moved = document.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform ?? "";
    return { box: { left, right, top }, zoom: Number(/scale\(([\d.]+)\)/.exec(moved)?.[1]) };
  }, id);
  return {
    x: Math.round((at.fromRight ? box.right : box.left) + at.x * zoom),
    y: Math.round(box.top + at.y * zoom),
  };
}

const pointAt = (browser: Browser, at: Point) =>
  browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...at, duration: 30 })
    .perform();

const counted = (browser: Browser) =>
  browser.execute(() => Number(/(\d+) wires/.exec(document.body.textContent ?? "")?.[1]));

/**
 * Returns for each box whether its node has a warning, whether the bitmap has the colour of a warning just
 * above the box, and whether its element paints anything.
 */
const edgesOnBitmap = (browser: Browser) =>
  browser.execute((selector) => {
    const bitmap = document.querySelector<HTMLCanvasElement>(selector);
    const context = bitmap?.getContext("2d");
    if (!bitmap || !context) throw new Error("there is no bitmap");
    const corner = bitmap.getBoundingClientRect();
    const density = devicePixelRatio;
    return [...document.querySelectorAll("article[data-box]")].map((box) => {
      const { left, right, top } = box.getBoundingClientRect();
      const x = ((left + right) / 2 - corner.left) * density;
      const y = (top - corner.top - 2) * density;
      const { data } = context.getImageData(Math.round(x), Math.floor(y), 1, Math.ceil(3 * density));
      let isAmber = false;
      for (let at = 0; at < data.length; at += 4) isAmber ||= (data[at] ?? 0) - (data[at + 2] ?? 0) > 55;
      const { backgroundColor, outlineStyle, boxShadow } = getComputedStyle(box);
      return {
        warns: box.getAttribute("data-severity") === "warning",
        isAmber,
        paints: backgroundColor !== "rgba(0, 0, 0, 0)" || outlineStyle !== "none" || boxShadow !== "none",
      };
    });
  }, BITMAP);

/**
 * Returns the sizes of cards on the canvas. The size of a card that was never visible is estimated and has a
 * fraction.
 */
const sizes = (browser: Browser) =>
  browser.execute(() =>
    [...document.querySelectorAll<HTMLElement>(".react-flow__node")].map((node) => {
      const card = node.querySelector<HTMLElement>("article[data-box]");
      const width = card ? Number.parseFloat(card.style.width) : node.offsetWidth;
      const height = card ? Number.parseFloat(card.style.height) : node.offsetHeight;
      return { id: node.dataset.id, width, height };
    }),
  );
const unseen = async (browser: Browser) =>
  (await sizes(browser)).filter(({ height }) => !Number.isInteger(height)).length;

/**
 * Returns the distances of wire ends at mounted cards from the middle of the nearest socket, in screen
 * pixels.
 */
const besideSockets = (browser: Browser) =>
  browser.execute(
    (edges) => {
      const off = (node: string, type: string, { x, y }: DOMPoint) => {
        const sockets = document.querySelectorAll(`.react-flow__handle.${type}[data-nodeid="${node}"]`);
        const distances = [...sockets].map((socket) => {
          const { left, right, top, bottom } = socket.getBoundingClientRect();
          return Math.hypot((left + right) / 2 - x, (top + bottom) / 2 - y);
        });
        return distances.length === 0 ? [] : [{ node, type, off: Math.min(...distances) }];
      };
      return edges.flatMap(({ id, source, target }) => {
        const path = document.querySelector<SVGPathElement>(
          `.react-flow__edge[data-id="${id}"] path.react-flow__edge-path`,
        );
        const matrix = path?.getScreenCTM();
        if (!path || !matrix) return [];
        const at = (length: number) => {
          const { x, y } = path.getPointAtLength(length);
          return new DOMPoint(x, y).matrixTransform(matrix);
        };
        return [...off(source, "source", at(0)), ...off(target, "target", at(path.getTotalLength()))];
      });
    },
    flow.edges as { id: string; source: string; target: string }[],
  );

/** The distance of the first row of sockets from a card's top. */
const SOCKET = 52;

test("in a large flow that is fully in view, nodes and wires can be selected, moved, connected and deleted", async () => {
  const { browser } = window;
  const file = path.join(window.folder, "large.flow.json");
  writeFileSync(file, JSON.stringify(flow));
  window.answerDialog(file);
  await click(browser, '//button[contains(., "Open file")]');
  await flowIsOpen(browser);
  await window.picture("far-view");
  expect(await browser.$(BITMAP).isDisplayed()).toBe(true);
  expect(await counted(browser)).toBe(flow.edges.length);
  // Even a card with a warning is a box once it is measured: a thousand cards with their contents would block
  // the canvas.
  const warning = (which: string) =>
    browser.execute(
      (selector) => document.querySelectorAll(selector).length,
      `article[data-severity="warning"]${which}`,
    );
  expect(await warning("")).toBeGreaterThan(10);
  await browser.waitUntil(async () => (await warning(":not([data-box])")) === 0, {
    timeoutMsg: "cards with warnings are drawn whole",
  });
  // The bitmap paints the warning edge, and the elements paint nothing.
  const edges = await edgesOnBitmap(browser);
  expect(edges.filter(({ warns, isAmber }) => warns !== isAmber)).toEqual([]);
  expect(edges.filter(({ paints }) => paints)).toEqual([]);

  // No card was mounted for measurement, except those that were in view before the flow was fitted.
  const told = await sizes(browser);
  expect(await unseen(browser)).toBeGreaterThan(flow.nodes.length * 0.75);

  // A wire under the pointer is drawn as an element.
  const wire = browser.$('.react-flow__edge[data-id="e11"]');
  expect(await wire.isExisting()).toBe(false);
  const between = await pointNear(browser, "n10", { x: 42, y: SOCKET, fromRight: true });
  await pointAt(browser, between);
  await wire.waitForExist({ timeoutMsg: "the wire under the pointer is not drawn" });
  await pressAt(browser, between);
  await browser.waitUntil(async () => (await wire.getAttribute("class"))?.includes("selected"), {
    timeoutMsg: "the wire is not chosen",
  });
  await browser.keys("Delete");
  await browser.waitUntil(async () => (await counted(browser)) === flow.edges.length - 1, {
    timeoutMsg: "the wire is not taken away",
  });

  // A node under the pointer has its sockets, so a new wire can be drawn.
  await pointAt(browser, await pointNear(browser, "n10", { x: 60, y: 20 }));
  await browser.$('.react-flow__handle.source[data-nodeid="n10"]').waitForExist();
  const start = await pointNear(browser, "n10", { x: 0, y: SOCKET, fromRight: true });
  const end = await pointNear(browser, "n11", { x: 4, y: SOCKET });
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...start, duration: 50 })
    .down()
    .move({ x: start.x + 2, y: start.y + 2, duration: 20 })
    .move({ ...start, duration: 20 })
    .move({ x: end.x + 2, y: end.y, duration: 50 })
    .pause(80)
    .move({ ...end, duration: 50 })
    .pause(80)
    .up()
    .perform();
  await browser.waitUntil(async () => (await counted(browser)) === flow.edges.length, {
    timeoutMsg: "no wire is drawn from one box to the next",
  });

  // A drag moves the node, its name remains, and undo returns it.
  const node = browser.$('.react-flow__node[data-id="n41"]');
  const label = await browser.execute(() => document.getElementById("node-label-n41")?.textContent ?? "");
  expect(label).toContain("Transform");
  expect(await node.getAttribute("aria-labelledby")).toBe("node-label-n41");
  expect(await node.getAttribute("role")).toBe("group");
  const place = await node.getCSSProperty("transform");
  const from = await pointNear(browser, "n41", { x: 70, y: 16 });
  const pointer = () => browser.action("pointer", { parameters: { pointerType: "mouse" } });
  await pointer()
    .move({ ...from, duration: 0 })
    .down()
    .move({ x: from.x + 2, y: from.y + 2, duration: 20 })
    .move({ ...from, duration: 20 })
    .move({ x: from.x + 30, y: from.y + 20, duration: 50 })
    .move({ x: from.x + 60, y: from.y + 40, duration: 50 })
    .perform();
  // The node follows the pointer before the flow gets its new position.
  expect((await node.getCSSProperty("transform")).value).not.toBe(place.value);
  await window.picture("far-view-dragged");
  await pointer()
    .move({ x: from.x + 62, y: from.y + 44, duration: 20 })
    .up()
    .perform();
  await atRest(browser);
  expect((await node.getCSSProperty("transform")).value).not.toBe(place.value);
  expect(await node.getAttribute("class")).toContain("selected");
  await window.picture("far-view-moved");
  await click(browser, byId(testIds.undoButton));
  await browser.waitUntil(async () => (await node.getCSSProperty("transform")).value === place.value, {
    timeoutMsg: "undo does not bring the node back",
  });

  // In a close view, every visible card and wire is an element again, its ends at its sockets.
  await deselect(browser);
  await browser.keys(["0"]);
  await atRest(browser);
  expect(await browser.$(BITMAP).isExisting()).toBe(false);
  expect(await browser.$$(".react-flow__edge").length).toBeGreaterThan(3);
  await window.picture("far-view-near");
  // Visible cards were measured, and the estimated sizes are about right.
  expect(await unseen(browser)).toBe(0);
  const wrong = (await sizes(browser)).filter(({ id, width, height }) => {
    const before = told.find((card) => card.id === id);
    return !before || width !== before.width || Math.abs(height - before.height) > 45;
  });
  expect(wrong).toEqual([]);
  const ends = await besideSockets(browser);
  expect(ends.length).toBeGreaterThan(3);
  expect(ends.filter(({ off }) => off > 8)).toEqual([]);
});

test("a selection box selects the nodes inside while it is drawn, and deselects those that it no longer contains", async () => {
  const { browser } = window;
  await deselect(browser);
  await browser.keys("1");
  await atRest(browser);
  const corner = async (id: string, x: number, y: number) => pointNear(browser, id, { x, y });
  const from = await corner("n0", -60, -60);
  const wide = await corner("n30", 20, 20);
  const narrow = await corner("n15", 20, 20);
  const chosen = () =>
    browser.execute(() =>
      [...document.querySelectorAll(".react-flow__node.selected")]
        .map((node) => Number(node.getAttribute("data-id")?.slice(1)))
        .sort((a, b) => a - b),
    );
  // The row length is thirteen: the box touches three rows and five columns, or two rows and three columns.
  const within = (rows: number, columns: number) =>
    Array.from({ length: rows * 13 }, (_, i) => i).filter((i) => i % 13 < columns);
  const pointer = browser.action("pointer", { parameters: { pointerType: "mouse" } });
  await pointer
    .move({ ...from, duration: 0 })
    .down()
    .move({ ...narrow, duration: 50 })
    .move({ ...wide, duration: 50 })
    .perform(true);
  await browser.waitUntil(async () => (await chosen()).length === 15, {
    timeout: 5_000,
    timeoutMsg: "the nodes inside the box are not selected while it is drawn",
  });
  expect(await chosen()).toEqual(within(3, 5));
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...narrow, duration: 50 })
    .up()
    .perform();
  await browser.waitUntil(async () => (await chosen()).length === 6, {
    timeout: 5_000,
    timeoutMsg: "nodes that the box no longer contains stay selected",
  });
  expect(await chosen()).toEqual(within(2, 3));
  await window.picture("far-view-box");
  await deselect(browser);
});

test("a press on the minimap centres that place, and a drag there moves the view", async () => {
  const { browser } = window;
  const map = browser.$('[aria-label="Minimap"]');
  const [{ x, y }, { width, height }] = [await map.getLocation(), await map.getSize()];
  /** Returns the middle of the view, as fractions of the flow's extent. */
  const middle = () =>
    browser.execute(
      (all) => {
        const pane = document.querySelector(".react-flow")?.getBoundingClientRect() ?? new DOMRect();
        const viewport = document.querySelector<HTMLElement>(".react-flow__viewport");
        const { a, e, f } = new DOMMatrix(viewport ? getComputedStyle(viewport).transform : "");
        const at = { x: (pane.width / 2 - e) / a, y: (pane.height / 2 - f) / a };
        const [xs, ys] = [all.map((one) => one.x), all.map((one) => one.y)];
        const part = (value: number, of: number[]) =>
          (value - Math.min(...of)) / (Math.max(...of) - Math.min(...of));
        return { x: part(at.x, xs), y: part(at.y, ys) };
      },
      flow.nodes.map((node) => node.position),
    );
  const pressed = async (part: number) => {
    await pressAt(browser, { x: Math.round(x + width * part), y: Math.round(y + height / 2) });
    await atRest(browser);
    return (await middle()).x;
  };
  expect(await pressed(0.2)).toBeLessThan(0.35);
  expect(await pressed(0.8)).toBeGreaterThan(0.65);
  const before = await middle();
  const start = { x: Math.round(x + width * 0.8), y: Math.round(y + height / 2) };
  await browser
    .action("pointer", { parameters: { pointerType: "mouse" } })
    .move({ ...start, duration: 0 })
    .down()
    .move({ x: start.x - 10, y: start.y, duration: 30 })
    .move({ x: start.x - 40, y: start.y, duration: 60 })
    .up()
    .perform();
  await atRest(browser);
  expect((await middle()).x).toBeLessThan(before.x - 0.15);
});

test("before a flow is laid out, cards that were never in view are measured", async () => {
  const { browser } = window;
  await deselect(browser);
  await browser.keys("1");
  await atRest(browser);
  expect(await unseen(browser)).toBeGreaterThan(100);
  await browser.keys("l");
  await browser.waitUntil(async () => (await unseen(browser)) === 0, {
    timeout: 10_000,
    timeoutMsg: "cards are laid out without having been measured",
  });
  await atRest(browser);
  await window.picture("far-view-tidied");
  const boxes = await browser.execute(() =>
    [...document.querySelectorAll<HTMLElement>(".react-flow__node")].map((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { id: node.dataset.id, left, right, top, bottom };
    }),
  );
  expect(boxes).toHaveLength(flow.nodes.length);
  const covers = boxes.filter((a, i) =>
    boxes
      .slice(i + 1)
      .some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
  );
  expect(covers).toEqual([]);
  await browser.keys(["Control", "z"]);
});
