// A preview is shown only if a run has values for the field.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../../components/testing";
import { replaceBackend } from "../../../ipc/client";
import type { FieldPreview } from "../../../ipc/generated/bindings";
import { testBackend } from "../../../ipc/testing";
import { Preview } from "./Preview";

const page = pageForEach();
const read = (name: string, value: string | null) => ({ name, value, hasDefault: false });
let answer: object;

const shown = async (always = false) => {
  await act(async () =>
    page.root.render(<Preview nodeId="a" place="template" value="Dear {{ input }}" always={always} />),
  );
  await act(async () => void (await new Promise((done) => setTimeout(done, 350))));
  return page.host.querySelector('[data-testid="field-preview"]')?.textContent ?? null;
};

beforeEach(() => {
  answer = {
    mode: "template",
    text: "Dear Ada",
    valueKind: "text",
    cut: false,
    error: null,
    reads: [read("input", "Ada")],
    from: { runId: "r1", path: "a" },
  };
  replaceBackend({ ...testBackend(), previewField: async () => answer as FieldPreview });
});

test("with the values of the run", async () => {
  expect(await shown()).toContain("Dear Ada");
});

test("with those that are there, where others are missing", async () => {
  answer = { ...answer, reads: [read("input", "Ada"), read("other", null)] };
  expect(await shown()).not.toBeNull();
});

test("not of a text that it would only repeat, except where there is room for it", async () => {
  answer = { ...answer, text: "Dear {{ input }}", reads: [] };
  expect(await shown()).toBeNull();
  expect(await shown(true)).toContain("Dear {{ input }}");
});

test("not of a run that has none of them", async () => {
  answer = { ...answer, text: "null", reads: [read("input", null), read("other", null)] };
  expect(await shown()).toBeNull();
});
