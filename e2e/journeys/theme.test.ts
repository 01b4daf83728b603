// The theme changes while the flow is out of view: the overview bitmap of a large flow is repainted as well.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { atRest, byId, click } from "../support/editor";
import { openFile, writeFlow } from "../support/flows";
import { mixed } from "../support/large-flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  await openFile(window, writeFlow(window, "large.flow.json", mixed(160, 200, 13)));
});
afterAll(() => window?.close());

/** Returns the colour of the canvas, and the painted colour in the corner of its bitmap. */
const grounds = (): Promise<{ styled: string; painted: string }> =>
  window.browser.execute(() => {
    const styled = getComputedStyle(
      document.querySelector('[data-region="canvas"]') as Element,
    ).backgroundColor;
    const context = document
      .querySelector<HTMLCanvasElement>('[data-testid="overview-bitmap"]')
      ?.getContext("2d");
    const [r, g, b] = context?.getImageData(2, 2, 1, 1).data ?? [];
    return { styled, painted: `rgb(${r}, ${g}, ${b})` };
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
