// Helpers for tests that render. Each test has its own page, which is removed after it with everything
// mounted on it.
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach } from "vitest";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const pointed = { bubbles: true, cancelable: true, button: 0 };

/** Opens a `Select` list by its button, and returns its options. */
export async function openList(button: HTMLElement): Promise<HTMLElement[]> {
  await act(async () => {
    if (button.getAttribute("aria-expanded") === "true") return;
    button.focus();
    button.dispatchEvent(new MouseEvent("pointerdown", pointed));
    button.dispatchEvent(new MouseEvent("mousedown", pointed));
    button.dispatchEvent(new MouseEvent("mouseup", pointed));
    button.click();
  });
  await act(() => new Promise((done) => setTimeout(done, 0)));
  const list = document.getElementById(button.getAttribute("aria-controls") ?? "");
  return [...(list?.querySelectorAll<HTMLElement>("[role=option]") ?? [])];
}

/** Opens a list and clicks the option with the value. */
export async function choose(button: HTMLElement, value: string): Promise<void> {
  const option = (await openList(button)).find((one) => one.dataset.value === value);
  if (!option) throw new Error(`the list has no option ${value}`);
  await act(async () => {
    option.dispatchEvent(new MouseEvent("pointerdown", pointed));
    option.dispatchEvent(new MouseEvent("mousedown", pointed));
    option.dispatchEvent(new MouseEvent("mouseup", pointed));
    option.click();
  });
}

export interface Page {
  /** The container of the rendered content, attached to the document. */
  readonly host: HTMLElement;
  readonly root: Root;
}

/**
 * Sets up a page for each test. Call it once in a file, before the file's own hooks: the page then exists
 * when those hooks start, and is removed after them.
 */
export function pageForEach(): Page {
  let host: HTMLElement | undefined;
  let root: Root | undefined;
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error("a page exists only within a test");
    return part;
  };
  beforeEach(() => {
    host = document.createElement("div");
    document.body.append(host);
    root = createRoot(host);
  });
  afterEach(async () => {
    await act(async () => there(root).unmount());
    document.body.innerHTML = "";
  });
  return {
    get host() {
      return there(host);
    },
    get root() {
      return there(root);
    },
  };
}
