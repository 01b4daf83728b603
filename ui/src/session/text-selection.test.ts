// No text is selected during another kind of drag.
import { expect, test } from "vitest";
import { preventTextSelection } from "./text-selection";

/** Returns whether a text selection may start. */
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
