// Quotes of messages, as people read them.
import { expect, test } from "vitest";
import { typeset } from "./typeset";

test("names are set in typographic quotes, code keeps its own", () => {
  expect(
    typeset('Template of "Merge" refers to "darft". Write `draft | default(value="")`, or "draft".'),
  ).toBe('Template of “Merge” refers to “darft”. Write `draft | default(value="")`, or “draft”.');
  expect(typeset('one " alone')).toBe('one " alone');
});
