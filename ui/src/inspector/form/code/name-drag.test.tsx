// A name is dragged from the list into a field. Meanwhile nothing on the page is selected.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { Editor } from "../../../components/code/editor";
import { register } from "../../../components/code/open";
import { pageForEach } from "../../../components/testing";
import { useNameDrag } from "./drag";

const page = pageForEach();
const insert = vi.fn();
const onPick = vi.fn();
let field: HTMLElement;

function Chip() {
  const { handlers, wasDragged } = useNameDrag("draft");
  return (
    <button type="button" {...handlers} onClick={() => !wasDragged() && onPick()}>
      draft
    </button>
  );
}
const chip = () => page.host.querySelector("button") as HTMLElement;
const pointer = (type: string, clientX: number, clientY: number) =>
  act(async () => {
    chip().dispatchEvent(
      Object.assign(new MouseEvent(type, { bubbles: true, button: 0, clientX, clientY }), { pointerId: 1 }),
    );
  });
const selects = () =>
  document.body.dispatchEvent(new Event("selectstart", { bubbles: true, cancelable: true }));
const ghost = () => document.querySelector('[data-testid="name-ghost"]');

beforeEach(async () => {
  insert.mockClear();
  onPick.mockClear();
  field = document.createElement("div");
  field.dataset.code = "";
  document.body.append(field);
  const view = { posAtCoords: () => 7, coordsAtPos: () => ({ left: 1, right: 2, top: 3, bottom: 9 }) };
  register(field, { view, insert } as unknown as Editor);
  // The field is to the right of x = 100.
  document.elementFromPoint = (x) => (x > 100 ? field : document.body);
  await act(async () => page.root.render(<Chip />));
});

test("it is put where the line says, and no text is selected on the way", async () => {
  await pointer("pointerdown", 0, 0);
  expect(ghost()).toBeNull();
  await pointer("pointermove", 50, 0);
  expect(ghost()?.hasAttribute("data-fits")).toBe(false);
  expect(selects()).toBe(false);
  await pointer("pointermove", 150, 0);
  expect(ghost()?.hasAttribute("data-fits")).toBe(true);
  await pointer("pointerup", 150, 0);
  expect(insert).toHaveBeenCalledExactlyOnceWith("draft", 7);
  expect(ghost()).toBeNull();
  expect(selects()).toBe(true);
});

test("beside a field nothing is put, and a press that does not wander is a press", async () => {
  await pointer("pointerdown", 0, 0);
  await pointer("pointermove", 50, 0);
  await pointer("pointerup", 50, 0);
  expect(insert).not.toHaveBeenCalled();
  await pointer("pointerdown", 0, 0);
  await pointer("pointermove", 2, 1);
  await pointer("pointerup", 2, 1);
  await act(async () => chip().click());
  expect(onPick).toHaveBeenCalledOnce();
});
