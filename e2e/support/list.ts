// Lists of the app: a button opens one, and a click selects one of its options.
import { click } from "./editor";
import type { Browser } from "./window";

/** Opens the list of the button and returns the values of its options, in their order. */
export async function openList(browser: Browser, button: string): Promise<string[]> {
  await click(browser, button);
  const values = () =>
    browser.execute((selector) => {
      const list = document.getElementById(
        document.querySelector(selector)?.getAttribute("aria-controls") ?? "",
      );
      return [...(list?.querySelectorAll<HTMLElement>("[role=option]") ?? [])].map(
        (option) => option.dataset.value ?? "",
      );
    }, button);
  await browser.waitUntil(async () => (await values()).length > 0, {
    timeout: 10_000,
    timeoutMsg: `${button} opens no list`,
  });
  return values();
}

/** Opens the list of the button and selects the option with this value. */
export async function chooseOption(browser: Browser, button: string, value: string): Promise<void> {
  await openList(browser, button);
  const list = await browser.$(button).getAttribute("aria-controls");
  await click(browser, `[id="${list}"] [role=option][data-value="${value}"]`);
  await browser.waitUntil(async () => (await browser.$(button).getAttribute("aria-expanded")) === "false", {
    timeout: 10_000,
    timeoutMsg: `the list of ${button} stays open`,
  });
}

/** Opens the list of the button and selects the option at an index, counted from 0. */
export async function chooseOptionAt(browser: Browser, button: string, index: number): Promise<void> {
  const value = (await openList(browser, button))[index];
  if (value === undefined) throw new Error(`the list of ${button} has no option ${index}`);
  const list = await browser.$(button).getAttribute("aria-controls");
  await click(browser, `[id="${list}"] [role=option][data-value="${value}"]`);
}
