// The command palette draws only a part of a long list, and its field keeps the focus.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { CommandPalette } from "./CommandPalette";
import type { Entry } from "./entries";

const page = pageForEach();

const entries = Array.from(
  { length: 60 },
  (_, i): Entry => ({
    id: `command-${i}`,
    group: "Commands",
    label: `Command ${i}`,
    icon: "play",
    run: () => {},
  }),
);
vi.mock("./entries", async (original) => ({
  ...(await original<typeof import("./entries")>()),
  entriesAtHand: () => entries,
  entriesElsewhere: () => new Promise<Entry[]>(() => {}),
}));

beforeEach(async () => {
  await act(async () => page.root.render(<CommandPalette />));
  await act(async () => useSession.getState().patch({ commandList: true }));
});
afterEach(async () => {
  useSession.getState().patch({ commandList: false });
});

const isOpen = () => page.host.querySelector(`[data-testid="${testIds.commands}"][data-open]`) !== null;
const rows = () => [...page.host.querySelectorAll('[role="option"]')];
const key = (name: string) =>
  act(async () => {
    page.host
      .querySelector("input")
      ?.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  });

test("what is not seen yet is drawn when the list is moved to it", async () => {
  expect(rows().length).toBeLessThan(20);
  await key("ArrowUp");
  expect(rows().length).toBe(60);
  expect(rows().at(-1)?.getAttribute("aria-selected")).toBe("true");
  await key("ArrowDown");
  expect(rows()[0]?.getAttribute("aria-selected")).toBe("true");
  const drawn = rows().length;
  await act(async () => {
    page.host.querySelector('[role="listbox"]')?.dispatchEvent(new Event("scroll"));
  });
  expect(rows().length).toBeGreaterThan(drawn);
});

test("Escape takes it away, and it comes back as new", async () => {
  expect(document.activeElement).toBe(page.host.querySelector("input"));
  await key("ArrowDown");
  await key("Escape");
  expect(isOpen()).toBe(false);
  await act(async () => useSession.getState().patch({ commandList: true }));
  expect(isOpen()).toBe(true);
  expect(rows()[0]?.getAttribute("aria-selected")).toBe("true");
  expect(document.activeElement).toBe(page.host.querySelector("input"));
});

test("the field keeps the keyboard when something else of it is pressed", () => {
  const press = (selector: string) =>
    page.host
      .querySelector(selector)
      ?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }));
  // The default action of the press is prevented, so that the press does not move the focus.
  expect(
    ['[role="group"] > [aria-hidden]', '[role="listbox"]', '[role="option"]', "input"].map(press),
  ).toEqual([false, false, false, true]);
});
