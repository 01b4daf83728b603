// Another theme, chosen while the flow is out of sight: its ground is painted in it as well.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, byId, click } from "../support/editor";
import { greeting, openFile, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  await openFile(window, writeFlow(window, "greeting.flow.json", greeting()));
});
afterAll(() => window?.close());

/** The colour that the canvas has, and the one that is painted on its ground, between the dots. */
const grounds = (): Promise<{ styled: string; painted: string }> =>
  window.browser.execute(() => {
    const styled = getComputedStyle(document.querySelector(".canvas") as Element).backgroundColor;
    const context = document.querySelector<HTMLCanvasElement>("canvas.dot-grid")?.getContext("2d");
    const [r, g, b] = context?.getImageData(7, 7, 1, 1).data ?? [];
    return { styled, painted: context ? `rgb(${r}, ${g}, ${b})` : styled };
  });

test("the canvas follows the theme that was chosen in the settings", async () => {
  const { browser } = window;
  const seen = new Set<string>();
  for (const theme of ["dark", "light", "dark"]) {
    await browser.keys(["Control", ","]);
    const choice = browser.$(byId(`theme-${theme}`));
    if (!(await choice.isDisplayed().catch(() => false))) await click(browser, "button=Appearance");
    await click(browser, byId(`theme-${theme}`));
    await click(browser, byId("settings-done"));
    await atRest(browser);
    const { styled, painted } = await grounds();
    expect(painted, theme).toBe(styled);
    seen.add(styled);
    await window.picture(`theme-${theme}`);
  }
  expect(seen.size).toBe(2);
});
