// How long a message is shown: it does not disappear while it is hovered or while a list overlays the canvas.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { useConnecting } from "../session/connecting";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { Toasts } from "./Toasts";

const page = pageForEach();

beforeEach(async () => {
  vi.useFakeTimers();
  useSession.setState({ toasts: [], view: "editor" });
  await act(async () => page.root.render(<Toasts />));
  await act(async () => void useSession.getState().toast({ title: "Deleted 2 nodes" }));
});
afterEach(() => {
  useConnecting.getState().closeQuickAdd();
  vi.useRealTimers();
});

const message = () => page.host.querySelector<HTMLElement>(`[data-testid="${testIds.toast}"]`);
const areHidden = () => page.host.querySelector(`[data-testid="${testIds.toasts}"][data-waiting]`) !== null;
const passes = (seconds: number) => act(async () => vi.advanceTimersByTime(seconds * 1000));
/**
 * Moves the pointer onto a message or off it. React derives its enter and leave events from the native
 * `pointerover` and `pointerout`.
 */
const pointer = (type: "pointerover" | "pointerout") =>
  act(async () => message()?.dispatchEvent(new MouseEvent(type, { bubbles: true })));

test("it leaves by itself", async () => {
  await passes(5);
  expect(message()).not.toBeNull();
  await passes(2);
  expect(message()).toBeNull();
});

test("pointed at, it stays; and for as long again once the pointer has left it", async () => {
  await passes(5);
  await pointer("pointerover");
  await passes(60);
  expect(message()).not.toBeNull();
  await pointer("pointerout");
  await passes(5);
  expect(message()).not.toBeNull();
  await passes(2);
  expect(message()).toBeNull();
});

test("in focus, it stays", async () => {
  await act(async () => message()?.querySelector("button")?.focus());
  await passes(60);
  expect(message()).not.toBeNull();
});

test("while a list lies over the canvas it waits, and is there when the list has gone", async () => {
  await act(async () => useConnecting.getState().openQuickAdd({ at: { x: 0, y: 0 }, from: null }));
  expect(areHidden()).toBe(true);
  await passes(60);
  await act(async () => useConnecting.getState().closeQuickAdd());
  expect(areHidden()).toBe(false);
  expect(message()).not.toBeNull();
  await passes(7);
  expect(message()).toBeNull();
});

test("three are shown at once, and the older ones are one line", async () => {
  const { toast } = useSession.getState();
  await act(async () => {
    for (const name of ["b", "c", "d", "e"]) toast({ title: `“${name}” was not saved`, stays: true });
  });
  const shown = () => page.host.querySelectorAll(`[data-testid="${testIds.toast}"]`).length;
  const press = (label: string) =>
    act(async () =>
      [...page.host.querySelectorAll("button")].find(({ textContent }) => textContent === label)?.click(),
    );
  expect(shown()).toBe(3);
  expect(page.host.textContent).toContain("2 older messages");
  await press("Show");
  expect(shown()).toBe(5);
  await act(async () => {
    for (const { id } of useSession.getState().toasts.slice(2)) useSession.getState().dismiss(id);
  });
  await act(async () => {
    for (const name of ["f", "g"]) toast({ title: name });
  });
  expect(shown()).toBe(3);
  await press("Dismiss all");
  expect(useSession.getState().toasts).toEqual([]);
});
