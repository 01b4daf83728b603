// Completions at each kind of position: names with their values, the words of the language, and how a name is
// inserted.
import { type Completion, CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { describe, expect, test } from "vitest";
import type { ScriptLanguage } from "../../../components/CodeEditor";
import type { NameInScope, NamesInScope, Word } from "../../../ipc/generated/bindings";
import { problemOf } from "../../../ipc/testing/values";
import { fieldsOf } from "../schema";
import { scriptCompletions, teraCompletions } from "./complete";
import { marksOf } from "./FieldCode";
import { whereOf } from "./Preview";
import { scopeField } from "./scope-field";
import { scriptLanguage } from "./script-language";

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

/**
 * Returns the completions at the bar in `marked`, each with the text after inserting it; null if none are
 * offered. A bar in that text marks the new cursor, unless the cursor is at the end.
 */
function offers(marked: string, explicit = false): Record<string, unknown> | null {
  const at = marked.indexOf("¦");
  const text = marked.replace("¦", "");
  const found = teraCompletions(text, at, "template", explicit, names, words);
  const put = (option: Completion): string => {
    if (typeof option.apply !== "function") return option.apply ?? option.label;
    const view = new EditorView({ doc: text });
    const { from } = found as CompletionResult;
    option.apply(view, option, from, at);
    const continues = view.state.selection.main.head;
    const whole = view.state.doc.toString();
    return `${whole.slice(from, continues)}¦${whole.slice(continues, whole.length - (text.length - at))}`;
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

describe("scriptCompletions", () => {
  const offered = (language: ScriptLanguage, text: string) =>
    scriptCompletions(
      new CompletionContext(EditorState.create({ doc: text }), text.length, false),
      language,
      names,
    );
  const labels = (language: ScriptLanguage) => offered(language, "d")?.options.map((o) => o.label) ?? [];

  test.each([
    ["luau", ["input", "draft.score", "elseif", "ipairs"], ["elif", "typeof"]],
    ["python", ["input", 'draft["score"]', "elif", "enumerate"], ["elseif", "draft.score", "console"]],
    ["javascript", ["input", "draft.score", "typeof", "console"], ["elif", "ipairs"]],
  ] as const)("%s: the flow's names, keywords and the library", (language, some, others) => {
    const found = labels(language);
    expect(found).toEqual(expect.arrayContaining([...some]));
    expect(found.filter((label) => (others as readonly string[]).includes(label))).toEqual([]);
  });

  test("nothing where no name is typed", () => {
    expect(offered("javascript", "1 + ")).toBeNull();
  });

  test("a field in Python is completed in its brackets, which closed themselves", () => {
    const text = 'x = draft["sc';
    const found = offered("python", text);
    expect(found?.from).toBe(4);
    expect(offered("python", "x = draft[ind")?.from).toBe(10);
    const option = found?.options.find((o) => o.label === 'draft["score"]');
    const view = new EditorView({ doc: `${text}"]` });
    if (!option || typeof option.apply !== "function") throw new Error("the field is offered");
    option.apply(view, option, 4, text.length);
    expect(view.state.doc.toString()).toBe('x = draft["score"]');
  });
});

test("the language of a tool's scripts", () => {
  expect(["script.lua", "script.python", "script.javascript"].map(scriptLanguage)).toEqual([
    "luau",
    "python",
    "javascript",
  ]);
  expect(["search.documents", "toString", null].map(scriptLanguage)).toEqual([null, null, null]);
});

test("the problems of a field's own text are marked in it, and no others", () => {
  const problem = problemOf("unknown_reference", {
    node: "n",
    span: undefined,
    fix: { title: "Replace with “draft”", edits: [] },
  });
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
  const args = fieldsOf({ properties: { args: { "x-widget": "args" } } });
  expect(scopeField(args, { tool: "script.python" })).toBe("args.source");
  expect(scopeField(args, { tool: "search.web" })).toBe("args.query");
  expect(scopeField(fieldsOf({ properties: { t: { "x-widget": "template" } } }), {})).toBe("t");
});
