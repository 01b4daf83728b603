// Quotation marks in displayed messages.
import { expect, test } from "vitest";
import { codeWords, plainMessage, typeset } from "./typeset";

test("names are set in typographic quotes, code keeps its own", () => {
  expect(
    typeset('Template of "Merge" refers to "darft". Write `draft | default(value="")`, or "draft".'),
  ).toBe('Template of “Merge” refers to “darft”. Write `draft | default(value="")`, or “draft”.');
  expect(typeset('one " alone')).toBe('one " alone');
});

test("where nothing can be set as code, code stands without its marks", () => {
  expect(plainMessage('"Fetch" has no `url`.')).toBe("“Fetch” has no url.");
});

test("the code of an error is words in a sentence", () => {
  expect(codeWords("http_429")).toBe("HTTP 429");
  expect(codeWords("key_missing")).toBe("key missing");
  expect(codeWords("network")).toBe("network");
});
