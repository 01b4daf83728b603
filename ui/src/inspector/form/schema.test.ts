// From a JSON Schema to a form: one widget per type and hint, groups, and conditional fields.
// @vitest-environment node
import { describe, expect, test } from "vitest";
import { durationToMs, msToDuration } from "./duration";
import {
  fieldsOf,
  groupFields,
  humanize,
  isShown,
  placeTitle,
  settingOf,
  withDefaults,
  withFallback,
} from "./schema";

const widget = (property: object) => fieldsOf({ properties: { f: property } })[0]?.widget;

describe("the widget of a field", () => {
  test.each([
    [{ type: "string" }, "text"],
    [{ type: "boolean" }, "switch"],
    [{ type: "integer", minimum: 1, maximum: 50 }, "integer"],
    [{ type: "number" }, "number"],
    [{ type: "number", minimum: 0, maximum: 2 }, "slider"],
    [{ type: "string", enum: ["replace", "append", "variables"] }, "segmented"],
    [{ type: "string", enum: ["max_iterations", "evaluator", "stable_output", "condition"] }, "select"],
    [{ type: "array", items: { type: "string" } }, "handles"],
    [{ type: "array", items: { type: "object" } }, "json"],
    [{ type: "array", items: { type: "object", properties: { when: {} } } }, "list"],
    [{ type: "object", properties: { a: { type: "string" } } }, "object"],
    [{ type: "object" }, "json"],
    [{}, "json"],
    [{ type: "string", "x-widget": "template" }, "template"],
    [{ type: "string", "x-widget": "from the future" }, "text"],
  ])("%j is a %s", (property, expected) => {
    expect(widget(property)).toBe(expected);
  });
});

test("titles, help and defaults come from the schema", () => {
  const [field] = fieldsOf({
    properties: {
      exitCondition: {
        description: "When to stop.",
        enum: ["max_iterations", "evaluator"],
        "x-enum-help": { evaluator: "Stop when the body reaches Exit." },
        default: "max_iterations",
      },
    },
    required: ["exitCondition"],
  });
  expect(field).toMatchObject({
    title: "Exit condition",
    description: "When to stop.",
    fallback: "max_iterations",
    required: true,
  });
  expect(field?.options).toEqual([
    { value: "max_iterations", label: "max iterations", help: null },
    { value: "evaluator", label: "evaluator", help: "Stop when the body reaches Exit." },
  ]);
});

test("a field is shown by the value of another, or by that one's default", () => {
  const fields = fieldsOf({
    properties: {
      mode: { enum: ["rules", "llm"], default: "rules" },
      model: { type: "string", "x-show-if": { field: "mode", in: ["llm"] } },
      when: { type: "string", "x-show-if": { field: "mode", in: ["rules"] } },
    },
  });
  const shown = (data: Record<string, unknown>) =>
    fields.filter((f) => isShown(f, data, fields)).map((f) => f.name);
  expect(shown({})).toEqual(["mode", "when"]);
  expect(shown({ mode: "llm" })).toEqual(["mode", "model"]);
});

test("of several conditions any is enough, and a default may depend on another field", () => {
  const fields = fieldsOf({
    properties: {
      exit: { enum: ["cap", "stable", "plateau"], default: "cap" },
      result: { enum: ["last", "best"], default: "last" },
      score: {
        type: "string",
        "x-show-if": [
          { field: "result", in: ["best"] },
          { field: "exit", in: ["plateau"] },
        ],
      },
      patience: { type: "integer", default: 1, "x-default-if": { field: "exit", values: { plateau: 2 } } },
    },
  });
  const [, , score, patience] = fields;
  if (!score || !patience) throw new Error("no fields");
  expect(isShown(score, {}, fields)).toBe(false);
  expect(isShown(score, { result: "best" }, fields)).toBe(true);
  expect(isShown(score, { exit: "plateau" }, fields)).toBe(true);
  expect(settingOf("patience", { exit: "stable" }, fields)).toBe(1);
  expect(settingOf("patience", { exit: "plateau" }, fields)).toBe(2);
  expect(settingOf("patience", { exit: "plateau", patience: 3 }, fields)).toBe(3);
  expect(withFallback(patience, { exit: "plateau" }, fields).fallback).toBe(2);
  expect(withDefaults({ exit: "plateau", own: true }, fields)).toEqual({
    exit: "plateau",
    result: "last",
    score: null,
    patience: 2,
    own: true,
  });
});

test("groups keep their order after what has none and the prompt", () => {
  const fields = fieldsOf({
    properties: {
      a: { "x-group": "Model" },
      b: {},
      c: { "x-group": "Prompt" },
      d: { "x-group": "Model" },
    },
  });
  expect(groupFields(fields).map((g) => [g.title, g.fields.map((f) => f.name)])).toEqual([
    [null, ["b"]],
    ["Prompt", ["c"]],
    ["Model", ["a", "d"]],
  ]);
});

test("durations are known by their names, older spellings are not offered", () => {
  const fields = fieldsOf({
    properties: {
      timeout: { type: "string" },
      iterationTimeout: { type: "string" },
      interval: { type: "string" },
      name: { type: "string" },
      defaultValue: { "x-hidden": true },
    },
  });
  expect(fields.map((f) => [f.name, f.widget])).toEqual([
    ["timeout", "duration"],
    ["iterationTimeout", "duration"],
    ["interval", "duration"],
    ["name", "text"],
  ]);
});

test("what is no schema has no fields", () => {
  for (const odd of [null, 3, "x", [], {}, { properties: 1 }]) expect(fieldsOf(odd)).toEqual([]);
});

test("names become titles", () => {
  expect(["maxTokens", "label", "on_limit", "budgetUsd"].map(humanize)).toEqual([
    "Max tokens",
    "Label",
    "On limit",
    "Budget usd",
  ]);
});

describe("durations", () => {
  test.each([
    ["PT2M", 120_000],
    ["PT0.5S", 500],
    ["PT1M30S", 90_000],
    ["P1DT1H", 90_000_000],
    ["PT0S", 0],
  ])("%s is %d ms", (iso, ms) => {
    expect(durationToMs(iso)).toBe(ms);
    expect(durationToMs(msToDuration(ms))).toBe(ms);
  });

  test.each(["", "P", "PT", "2m", "PT-1S", "120"])("%j is none", (text) => {
    expect(durationToMs(text)).toBeNull();
  });
});

test("a place within a field is called as the form calls it", () => {
  const fields = fieldsOf({
    properties: {
      systemPrompt: { type: "string" },
      branches: {
        type: "array",
        title: "Ways out",
        items: { properties: { when: { type: "string", title: "If" } } },
      },
    },
  });
  expect(placeTitle(fields, ["systemPrompt"])).toBe("System prompt");
  expect(placeTitle(fields, ["branches", 1, "when"])).toBe("Ways out 2 · If");
  expect(placeTitle(fields, ["ofAnOlderVersion", "maxTokens"])).toBe("Of an older version · Max tokens");
});
