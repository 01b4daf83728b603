// Menus under a button: their focus, their disabled entries, and their search.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { openList, pageForEach } from "../components/testing";
import { Menu, type MenuItem } from "./Menu";

const page = pageForEach();

const button = (): HTMLElement => {
  const found = page.host.querySelector<HTMLElement>("button");
  if (!found) throw new Error("there is no menu");
  return found;
};

const draw = (items: MenuItem[]) =>
  act(async () =>
    page.root.render(
      <Menu label="Things to do" className="button" items={items}>
        Do
      </Menu>,
    ),
  );

test("an entry runs with the focus on the menu's button, so that a dialog it opens gives it back", async () => {
  let focused: Element | null = null;
  const run = vi.fn(() => {
    focused = document.activeElement;
  });
  await draw([
    { id: "a", label: "First", hint: "Ctrl+1", run },
    { id: "b", label: "Second", disabled: true, run },
  ]);
  await act(async () => button().click());
  const entries = [...document.querySelectorAll<HTMLElement>('[role="menu"] [role="menuitem"]')];
  expect(entries.map((one) => one.textContent)).toEqual(["FirstCtrl+1", "Second"]);
  await act(async () => entries[1]?.click());
  expect(run).not.toHaveBeenCalled();
  await act(async () => entries[0]?.click());
  expect(run).toHaveBeenCalledOnce();
  expect(focused).toBe(button());
  expect(button().getAttribute("aria-expanded")).toBe("false");
});

test("a long one is searched", async () => {
  const run = vi.fn();
  await draw(
    Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, label: `Workflow ${i}`, run: () => run(i) })),
  );
  expect(await openList(button())).toHaveLength(20);
  const field = document.querySelector<HTMLInputElement>('input[placeholder="Search"]');
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "flow 17");
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await act(async () => document.querySelector<HTMLElement>("[role=option]")?.click());
  expect(run.mock.calls).toEqual([[17]]);
});
