// Counts the user's actions: a key or chord, typing, a click and a drag are one action each.
import { click } from "./editor";
import { chooseOption } from "./list";
import { drag, middleOf, type Point } from "./pointer";
import type { Browser } from "./window";

export class Actions {
  readonly browser: Browser;
  count = 0;

  constructor(browser: Browser) {
    this.browser = browser;
  }

  /** Presses one key, or several held down together. */
  async press(...keys: string[]): Promise<void> {
    this.count += 1;
    await this.browser.keys(keys);
  }

  /** Types where the focus is, key by key: keys sent together are a chord. */
  async type(text: string): Promise<void> {
    this.count += 1;
    for (const key of text) await this.browser.keys(key);
  }

  async click(selector: string): Promise<void> {
    this.count += 1;
    await click(this.browser, selector);
  }

  /** Opens a list and selects an entry: two clicks. */
  async pick(selector: string, value: string): Promise<void> {
    this.count += 2;
    await chooseOption(this.browser, selector, value);
  }

  /** Drags from the middle of one element to that of another, or to a point. */
  async drag(from: string, to: string | Point): Promise<void> {
    this.count += 1;
    const end = typeof to === "string" ? await middleOf(this.browser, to) : to;
    await drag(this.browser, await middleOf(this.browser, from), end);
  }

  /** Returns whether the focused element is within an element that matches. */
  focusIn(selector: string): Promise<boolean> {
    return this.browser.execute((found) => document.activeElement?.closest(found) != null, selector);
  }

  /** Presses a key until the focused element is within an element that matches. */
  async pressUntilFocus(selector: string, keys: readonly string[], most = 40): Promise<void> {
    for (let i = 0; i < most; i++) {
      if (await this.focusIn(selector)) return;
      await this.press(...keys);
    }
    throw new Error(`${keys.join("+")} does not reach ${selector} in ${most} steps`);
  }
}
