// Drop-down lists: what they show, how they are searched, and which events they keep from the page.
import { act } from "react";
import { expect, test, vi } from "vitest";
import { type Choice, MAX_WITHOUT_SEARCH, Select } from "./Select";
import { choose, openList, pageForEach } from "./testing";

const page = pageForEach();

const numbered = (count: number): Choice[] =>
  Array.from({ length: count }, (_, i) => ({ value: `v${i}`, label: `Number ${i}` }));

const button = (): HTMLElement => {
  const found = page.host.querySelector<HTMLElement>(".select");
  if (!found) throw new Error("there is no list");
  return found;
};

async function draw(options: readonly Choice[], value = "v1", inDialog = false) {
  const onChange = vi.fn<(value: string) => void>();
  const list = (
    <Select
      label="Which one"
      testId="which"
      value={value}
      lead={[{ value: "", label: "none" }]}
      options={options}
      onChange={onChange}
    />
  );
  await act(async () => page.root.render(inDialog ? <dialog open>{list}</dialog> : list));
  return onChange;
}

test("a button says what is chosen and its list what can be", async () => {
  const changed = await draw([{ value: "v1", label: "One", title: "The first" }, ...numbered(1)]);
  expect(button().textContent).toBe("One");
  expect(button().getAttribute("aria-label")).toBe("Which one");
  expect(button().dataset.testid).toBe("which");
  const options = await openList(button());
  expect(options.map((one) => one.textContent)).toEqual(["none", "OneThe first", "Number 0"]);
  expect(document.querySelector('input[placeholder="Search"]')).toBeNull();
  await choose(button(), "v0");
  expect(changed.mock.calls).toEqual([["v0"]]);
});

test("an empty value is an option like any other", async () => {
  const changed = await draw(numbered(3));
  await choose(button(), "");
  expect(changed.mock.calls).toEqual([[""]]);
});

test("a letter on a long list searches for it", async () => {
  const changed = await draw(numbered(MAX_WITHOUT_SEARCH + 4));
  await act(async () => {
    button().focus();
    button().dispatchEvent(new KeyboardEvent("keydown", { key: "7", bubbles: true, cancelable: true }));
  });
  const field = document.querySelector<HTMLInputElement>('input[placeholder="Search"]');
  expect(field?.value).toBe("7");
  expect([...document.querySelectorAll(".select-option")].map((one) => one.textContent)).toEqual([
    "Number 7",
  ]);
  expect(changed).not.toHaveBeenCalled();
});

test("a long list is searched", async () => {
  const changed = await draw(numbered(MAX_WITHOUT_SEARCH + 4));
  expect(await openList(button())).toHaveLength(MAX_WITHOUT_SEARCH + 5);
  const field = document.querySelector<HTMLInputElement>('input[placeholder="Search"]');
  expect(field?.getAttribute("aria-label")).toBe("Search Which one");
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "ber 11");
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const left = [...document.querySelectorAll<HTMLElement>("[role=option]")];
  expect(left.map((one) => one.textContent)).toEqual(["Number 11"]);
  await act(async () => left[0]?.click());
  expect(changed.mock.calls).toEqual([["v11"]]);
});

test("in a dialog the list lies within it, where it can be pressed", async () => {
  await draw(numbered(3), "v1", true);
  const [option] = await openList(button());
  expect(option?.closest("dialog")).not.toBeNull();
});

test("Escape closes the list and nothing else", async () => {
  await draw(numbered(3));
  const outer = vi.fn();
  window.addEventListener("keydown", outer);
  const [option] = await openList(button());
  expect(button().getAttribute("aria-expanded")).toBe("true");
  await act(async () =>
    option?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true })),
  );
  window.removeEventListener("keydown", outer);
  expect(button().getAttribute("aria-expanded")).toBe("false");
  expect(outer).not.toHaveBeenCalled();
});
