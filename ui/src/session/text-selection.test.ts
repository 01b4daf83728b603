// No text is selected while something else is dragged.
import { expect, test } from "vitest";
import { preventTextSelection } from "./text-selection";

/** Whether a selection may begin. */
const begins = () =>
  document.body.dispatchEvent(new Event("selectstart", { bubbles: true, cancelable: true }));

test("no selection begins until the drag ends", () => {
  const allow = preventTextSelection();
  expect(begins()).toBe(false);
  allow();
  expect(begins()).toBe(true);
});

test("what was selected before is deselected", () => {
  document.body.textContent = "a draft";
  getSelection()?.selectAllChildren(document.body);
  preventTextSelection()();
  expect(String(getSelection())).toBe("");
});
