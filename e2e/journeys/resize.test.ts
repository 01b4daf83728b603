// A resized window: the flow stays in view, the panels make room, and a view that the user chose is kept.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, click, openTemplate } from "../support/editor";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
});
afterAll(() => window?.close());

const transform = () =>
  window.browser.execute(
    () => document.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform ?? "",
  );

/** Returns whether every card is on the visible canvas. */
const allSeen = () =>
  window.browser.execute(() => {
    const pane = document.querySelector(".react-flow")?.getBoundingClientRect() ?? new DOMRect();
    return [...document.querySelectorAll(".react-flow__node")].every((node) => {
      const box = node.getBoundingClientRect();
      return (
        box.left >= pane.left && box.right <= pane.right && box.top >= pane.top && box.bottom <= pane.bottom
      );
    });
  });

const resized = async (width: number, height: number) => {
  await window.browser.setWindowSize(width, height);
  await window.browser.pause(400);
  await atRest(window.browser);
};

test("a flow that was fully in view stays fully in view, and the panels do not cover it", async () => {
  const { browser } = window;
  await openTemplate(browser, "self-refine");
  await atRest(browser);
  await resized(1024, 700);
  expect(await browser.$('[data-region="palette"]').isDisplayed()).toBe(false);
  expect(await allSeen()).toBe(true);
  await resized(1440, 900);
  expect(await browser.$('[data-region="palette"]').isDisplayed()).toBe(true);
  expect(await allSeen()).toBe(true);
});

test("a view that somebody moved stays", async () => {
  const { browser } = window;
  await click(browser, '[aria-label="Zoom in"]');
  await atRest(browser);
  const before = await transform();
  await resized(1300, 800);
  expect(await transform()).toBe(before);
});
