// A title next to badges is truncated as late as possible: the header has space for two lines of it.
import { expect, test } from "vitest";
import { type Rule, rulesOf } from "../../styles/stylesheets";

const HEADER = ".header";
const TITLE = ".header b";
const rules: readonly Rule[] = rulesOf("canvas/CanvasCard.module.css");
const ruleValue = (selector: string, name: string) =>
  rules.findLast((rule) => rule.selector === selector && rule.declarations.has(name))?.declarations.get(name);

test("two lines of a title fit into the header", () => {
  expect(ruleValue(TITLE, "-webkit-line-clamp")).toBe("2");
  expect(ruleValue(TITLE, "white-space")).toBeUndefined();
  const line =
    Number.parseFloat(ruleValue(TITLE, "font-size") ?? "") * Number(ruleValue(TITLE, "line-height"));
  expect(2 * line).toBeLessThanOrEqual(Number.parseFloat(ruleValue(HEADER, "height") ?? ""));
});
