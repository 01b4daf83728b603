// What is offered where: names with their values, words of the language, and how a name is put in.
import type { Completion, CompletionResult } from "@codemirror/autocomplete";
import { EditorView } from "@codemirror/view";
import { describe, expect, test } from "vitest";
import type { NameInScope, NamesInScope, Word } from "../../../ipc/generated/bindings";
import { fieldsOf } from "../schema";
import { teraCompletions } from "./complete";
import { marksOf } from "./FieldCode";
import { whereOf } from "./Preview";
import { scopeField } from "./scope-field";

const name = (written: string, more: Partial<NameInScope> = {}): NameInScope => ({
  written,
  group: "node",
  valueType: "text",
  description: `what ${written} gave`,
  node: null,
  mayBeMissing: false,
  last: null,
  fields: [],
  ...more,
});
const names: NamesInScope = {
  mode: "template",
  names: [
    name("input", { group: "input", last: "Dear\n  Ada" }),
    name("draft", { mayBeMissing: true, fields: [{ written: "draft.score", last: "7" }] }),
  ],
  from: { runId: "r", path: "draft" },
};
const words: Word[] = [
  { kind: "filter", name: "upper", usage: "upper", doc: "" },
  { kind: "filter", name: "truncate", usage: "truncate(length=100)", doc: "" },
  { kind: "test", name: "defined", usage: "defined", doc: "" },
  { kind: "function", name: "range", usage: "range(end=3)", doc: "" },
  { kind: "tag", name: "if", usage: "if condition %}…{% endif", doc: "" },
];

/** The offers at the bar, each with what it puts in; with a bar where one goes on, unless that is behind it. */
function offers(marked: string, explicit = false): Record<string, unknown> | null {
  const at = marked.indexOf("¦");
  const text = marked.replace("¦", "");
  const found = teraCompletions(text, at, "template", explicit, names, words);
  const put = (option: Completion): string => {
    if (typeof option.apply !== "function") return option.apply ?? option.label;
    const view = new EditorView({ doc: text });
    const { from } = found as CompletionResult;
    option.apply(view, option, from, at);
    const goesOn = view.state.selection.main.head;
    const whole = view.state.doc.toString();
    return `${whole.slice(from, goesOn)}¦${whole.slice(goesOn, whole.length - (text.length - at))}`;
  };
  return found && Object.fromEntries(found.options.map((o) => [o.label, put(o)]));
}

describe("teraCompletions", () => {
  test("names in a hole, with the fields of their values, spaced as templates are written", () => {
    expect(offers("{{¦}}")).toEqual({
      input: " input¦ ",
      draft: " draft¦ ",
      "draft.score": " draft.score¦ ",
    });
    expect(offers("{{ dr¦ }}")).toMatchObject({ draft: "draft", range: "range(end=3)" });
  });

  test("filters with their arguments, tests, tags", () => {
    expect(offers("{{ a | tr¦")).toEqual({ upper: "upper", truncate: "truncate(length=100)" });
    expect(offers("{{ a is d¦")).toEqual({ defined: "defined" });
    expect(offers("{% i¦ %}")).toEqual({ if: "if" });
  });

  test("in plain text only when asked for, with a hole around the name", () => {
    expect(offers("Dear ¦")).toBeNull();
    expect(offers("Dear ¦", true)).toMatchObject({ input: "{{ input }}" });
  });

  test("the last value stands beside a name, in one line", () => {
    const found = teraCompletions("{{ i", 4, "template", false, names, words);
    expect(found?.options.find((o) => o.label === "input")?.detail).toBe("Dear Ada");
    expect(found?.from).toBe(3);
  });
});

test("the problems of a field's own text are marked in it, and no others", () => {
  const problem = {
    code: "unknown_reference",
    severity: "error" as const,
    node: "n",
    message: "No such node.",
    fix: { title: "Replace with “draft”", edits: [] },
  };
  const marks = marksOf(
    [
      { ...problem, place: "rules[0].when", span: { from: 2, to: 7 } },
      { ...problem, place: "rules[1].when", span: { from: 2, to: 7 } },
      { ...problem, place: "rules[0].when" },
    ],
    "rules[0].when",
  );
  expect(marks.map((m) => [m.from, m.to, m.fix?.title])).toEqual([[2, 7, "Replace with “draft”"]]);
});

test("the iteration of a preview in words", () => {
  expect(whereOf("draft")).toBe("last run");
  expect(whereOf("outer[2]/inner[4]/call")).toBe("last run, iteration 2 › 4");
});

test("the field whose scope a form shows", () => {
  const fields = fieldsOf({
    properties: {
      mode: { type: "string" },
      rules: { type: "array", items: { type: "object", properties: { when: { "x-widget": "expression" } } } },
    },
  });
  expect(scopeField(fields, {})).toBeNull();
  expect(scopeField(fields, { rules: [{}] })).toBe("rules[0].when");
  expect(scopeField(fieldsOf({ properties: { t: { "x-widget": "template" } } }), {})).toBe("t");
});
