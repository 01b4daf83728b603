// Templates as cards show them.
import { expect, test } from "vitest";
import { nodeBodies } from ".";
import { templateParts } from "./template-parts";

test("variables are set off, filters, statements and comments left out", () => {
  expect(templateParts("{# why #}Improve {{ input | trim }}{% if x %} now{% endif %}.")).toEqual([
    { text: "Improve ", variable: false },
    { text: "input", variable: true },
    { text: " now.", variable: false },
  ]);
  expect(templateParts("no variables")).toEqual([{ text: "no variables", variable: false }]);
  expect(templateParts("")).toEqual([]);
});

test("a loop and its exit are drawn by the canvas itself", () => {
  expect(nodeBodies).not.toHaveProperty("loop");
  expect(nodeBodies).not.toHaveProperty("exit");
});
