// Where the focus moves when the dialog or panel that has the focus is removed.
import { act, useRef } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useFocusBack } from "./use-focus-back";
import { useLightDialog, useModal } from "./use-modal";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

let host: HTMLElement;
let caller: HTMLButtonElement;
let root: Root;

beforeEach(() => {
  host = document.createElement("div");
  caller = document.createElement("button");
  document.body.append(caller, host);
  root = createRoot(host);
  caller.focus();
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.innerHTML = "";
});

const shown = (what: React.ReactNode) => act(async () => root.render(what));
const field = () => host.querySelector("input");

function Dialog({ open }: { open: boolean }) {
  const box = useRef<HTMLDialogElement>(null);
  useModal(box, open);
  return open ? (
    <dialog ref={box} open>
      <input />
    </dialog>
  ) : null;
}

function LightDialog({ open, close }: { open: boolean; close(): void }) {
  const box = useRef<HTMLDivElement>(null);
  useLightDialog(box, open, close);
  return (
    <div ref={box}>
      <input />
    </div>
  );
}

function Panel({ otherwise }: { otherwise(): void }) {
  const box = useRef<HTMLElement>(null);
  useFocusBack(box, otherwise);
  return (
    <section ref={box}>
      {/* biome-ignore lint/a11y/noAutofocus: the panels of the canvas do the same. */}
      <input autoFocus />
    </section>
  );
}

test("a dialog that is taken away gives the focus back, whether it or its question goes", async () => {
  await shown(<Dialog open />);
  field()?.focus();
  await shown(<Dialog open={false} />);
  expect(document.activeElement).toBe(caller);
  await shown(<Dialog open />);
  field()?.focus();
  await shown(null);
  expect(document.activeElement).toBe(caller);
});

test("a light dialog is left by Escape and by a press beside it, and what lies beneath gets neither", async () => {
  const close = vi.fn();
  const beneath = vi.fn();
  const heard = ["keydown", "pointerdown", "mousedown", "click"];
  for (const type of heard) caller.addEventListener(type, beneath);
  const press = (target: Element, type: string) => {
    const event = new Event(type, { bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event;
  };
  const key = (target: Element, name: string) => {
    const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event;
  };
  await shown(<LightDialog open={false} close={close} />);
  expect(document.activeElement).toBe(caller);
  await shown(<LightDialog open close={close} />);
  const input = field() as HTMLInputElement;
  expect(document.activeElement).toBe(input);
  expect(key(input, "Tab").defaultPrevented).toBe(true);
  expect(key(input, "a").defaultPrevented).toBe(false);
  expect(press(input, "click").defaultPrevented).toBe(false);
  expect(close).not.toHaveBeenCalled();
  input.blur();
  caller.focus();
  key(caller, "ArrowDown");
  expect(document.activeElement).toBe(input);
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, isComposing: true }));
  expect(close).not.toHaveBeenCalled();
  key(input, "Escape");
  expect(close).toHaveBeenCalledTimes(1);
  for (const type of ["pointerdown", "mousedown", "click"]) press(caller, type);
  expect(close).toHaveBeenCalledTimes(2);
  expect(beneath).not.toHaveBeenCalled();
  await shown(<LightDialog open={false} close={close} />);
  expect(document.activeElement).toBe(caller);
  for (const type of heard) press(caller, type);
  expect(beneath).toHaveBeenCalledTimes(heard.length);
});

test("a panel gives it back to what had it, or asks where it shall go", async () => {
  const otherwise = vi.fn();
  await shown(<Panel otherwise={otherwise} />);
  expect(document.activeElement).toBe(field());
  await shown(null);
  expect(document.activeElement).toBe(caller);
  await shown(<Panel otherwise={otherwise} />);
  caller.remove();
  await shown(null);
  expect(otherwise).toHaveBeenCalledOnce();
});

test("a focus that is already elsewhere stays there", async () => {
  const other = document.createElement("button");
  document.body.append(other);
  await shown(<Panel otherwise={() => {}} />);
  other.focus();
  await shown(null);
  expect(document.activeElement).toBe(other);
});
