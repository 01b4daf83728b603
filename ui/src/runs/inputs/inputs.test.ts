// Run inputs: the fields of a document, and how typed text is parsed.
import { describe, expect, test } from "vitest";
import type { FlowDoc } from "../../ipc/generated/bindings";
import { kinds as recorded } from "../../ipc/generated/recorded/program";
import { collectInputs, inputFields, inputsInEffect } from "./inputs";

const { kinds } = recorded;

const document: FlowDoc = {
  nodes: [
    {
      id: "b",
      type: "input",
      position: { x: 0, y: 100 },
      data: { name: "count", dataType: "number", default: 3 },
    },
    {
      id: "a",
      type: "input",
      position: { x: 0, y: 0 },
      data: { name: "text", label: "Your text", required: true },
    },
    { id: "c", type: "llm", position: { x: 0, y: 50 }, data: {} },
    { id: "d", type: "input", position: { x: 0, y: 200 }, data: { name: "options", dataType: "json" } },
  ],
  edges: [],
};

describe("inputFields", () => {
  test("one field per input node, from top to bottom", () => {
    expect(inputFields(document, kinds).map((f) => [f.name, f.dataType, f.fallback])).toEqual([
      ["text", "text", null],
      ["count", "number", "3"],
      ["options", "json", null],
    ]);
  });
});

describe("inputsInEffect", () => {
  test("are what was given, and the defaults of what was not", () => {
    expect(inputsInEffect(document, kinds, { text: "a" })).toEqual({ text: "a", count: 3 });
    expect(inputsInEffect(document, kinds, { count: 7 })).toEqual({ count: 7 });
  });
  test("know a default by its older name", () => {
    const nodes = [{ id: "n", type: "input", position: { x: 0, y: 0 }, data: { defaultValue: "old" } }];
    expect(inputsInEffect({ nodes, edges: [] }, kinds, {})).toEqual({ n: "old" });
  });
});

describe("collectInputs", () => {
  const fields = inputFields(document, kinds);

  test("reads each value by its type and leaves untouched fields to their defaults", () => {
    expect(collectInputs(fields, { text: "Mine", options: '{"a": 1}' })).toEqual({
      inputs: { text: "Mine", options: { a: 1 } },
      errors: {},
    });
  });

  test("an empty text is a value, unless one is required", () => {
    const free = fields.map((field) => ({ ...field, required: false }));
    expect(collectInputs(free, { text: "" }).inputs).toEqual({ text: "" });
    for (const typed of [{ text: " " }, {}] as Record<string, string>[])
      expect(collectInputs(fields, typed)).toEqual({
        inputs: {},
        errors: { text: "Your text needs a value." },
      });
  });

  test("an empty default of a required text is no value either", () => {
    const empty = fields.map((field) => (field.name === "text" ? { ...field, fallback: "" } : field));
    expect(collectInputs(empty, {}).errors).toEqual({ text: "Your text needs a value." });
    expect(collectInputs(empty, { text: "Mine" }).errors).toEqual({});
    const free = empty.map((field) => ({ ...field, required: false }));
    expect(collectInputs(free, {}).errors).toEqual({});
    const file = empty.map((field) => ({ ...field, dataType: "file" as const }));
    expect(collectInputs(file, {}).errors).toMatchObject({ text: "Your text needs a value." });
  });

  test("says what is wrong with each value, by name", () => {
    const { inputs, errors } = collectInputs(fields, { count: "many", options: "{" });
    expect(inputs).toEqual({});
    expect(errors.text).toBe("Your text needs a value.");
    expect(errors.count).toContain("must be a number");
    expect(errors.options).toContain("not valid JSON");
  });
});
