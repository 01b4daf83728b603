// The tooltip: when it appears, and when it disappears.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IconButton } from "./Button";
import { TOOLTIP_DELAY_MS, Tooltip } from "./Tooltip";
import { pageForEach } from "./testing";
import { tip } from "./tip";

const page = pageForEach();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const shown = () => document.querySelector('[role="tooltip"]')?.textContent ?? null;
const find = (selector: string): HTMLElement => {
  const found = page.host.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`nothing fits ${selector}`);
  return found;
};
const point = (element: Element, buttons = 0) =>
  act(async () => element.dispatchEvent(new MouseEvent("pointerover", { bubbles: true, buttons })));
const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));

const draw = (isThere = true) =>
  act(async () =>
    page.root.render(
      <>
        <Tooltip />
        {isThere && <IconButton icon="save" label="Save" hint="Ctrl+S" />}
        <i {...tip("Unsaved changes")} />
        <b {...tip("Read in full")}>Read in full</b>
      </>,
    ),
  );

test("it shows after a moment, with the shortcut, and the next one at once", async () => {
  await draw();
  await point(find("button"));
  await wait(TOOLTIP_DELAY_MS - 20);
  expect(shown()).toBeNull();
  await wait(40);
  expect(shown()).toBe("SaveCtrl+S");
  await point(find("i"));
  await wait(0);
  expect(shown()).toBe("Unsaved changes");
  expect(find("i").getAttribute("aria-describedby")).toBe("tooltip");
  await point(page.host);
  expect(shown()).toBeNull();
  expect(find("i").hasAttribute("aria-describedby")).toBe(false);
});

test("it goes with its element, with a key and with a press", async () => {
  await draw();
  const show = async () => {
    await point(page.host);
    await point(find("i"));
    await wait(TOOLTIP_DELAY_MS + 10);
    expect(shown()).toBe("Unsaved changes");
  };
  await point(find("button"));
  await wait(TOOLTIP_DELAY_MS + 10);
  expect(shown()).not.toBeNull();
  await draw(false);
  await wait(0);
  expect(shown()).toBeNull();
  for (const type of ["keydown", "pointerdown", "wheel"]) {
    await show();
    await act(async () => find("i").dispatchEvent(new Event(type, { bubbles: true })));
    expect(shown(), type).toBeNull();
  }
});

test("neither a drag nor a text that can be read shows one", async () => {
  await draw();
  await point(find("i"), 1);
  await wait(1000);
  expect(shown()).toBeNull();
  await point(find("b"));
  await wait(1000);
  expect(shown()).toBeNull();
});
