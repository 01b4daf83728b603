// The holes of a template, and what is completed at each position.
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { describe, expect, test } from "vitest";
import { luau, teraExpression, teraTemplate } from "./stream-languages";
import { completingAt, holeAt, holes, inserted } from "./tera";

/** Splits a string at the bar that marks the cursor. */
const split = (marked: string) => ({ text: marked.replace("¦", ""), at: marked.indexOf("¦") });

describe("holes", () => {
  test("are found by their marks, and quoted marks do not end them", () => {
    const text = 'a {{ "}}" }} b {%- if x %} {# {{ c }} #}';
    expect(holes(text).map((h) => [h.kind, text.slice(h.from, h.to)])).toEqual([
      ["output", ' "}}" '],
      ["tag", " if x "],
      ["comment", " {{ c }} "],
    ]);
  });

  test("one without an end reaches to the end of the text", () => {
    expect(holes("a {{ b")).toEqual([{ kind: "output", from: 4, to: 6, closed: false }]);
    expect(holeAt("a {{ b", 6)).not.toBeNull();
    expect(holeAt("a {{ b }} c", 10)).toBeNull();
  });
});

describe("completingAt", () => {
  const at = (marked: string, mode: "template" | "expression" = "template") => {
    const { text, at } = split(marked);
    const found = completingAt(text, at, mode);
    return found && [found.what, text.slice(found.from, at)];
  };

  test("names with what stands before the cursor of their chain", () => {
    expect(at("{{ ¦ }}")).toEqual(["name", ""]);
    expect(at("{{ draft.re¦")).toEqual(["name", "draft.re"]);
    expect(at('{{ nodes["my¦')).toEqual(["name", 'nodes["my']);
    expect(at("score >= li¦", "expression")).toEqual(["name", "li"]);
  });

  test("filters behind a bar, tests behind is, tags at the beginning of theirs", () => {
    expect(at("{{ a | up¦ }}")).toEqual(["filter", "up"]);
    expect(at("a is not def¦", "expression")).toEqual(["test", "def"]);
    expect(at("{% fo¦")).toEqual(["tag", "fo"]);
    expect(at("{% if dr¦")).toEqual(["name", "dr"]);
  });

  test("nothing in plain text, in quotes and in numbers", () => {
    expect(at("draft¦")).toBeNull();
    expect(at('{{ a | default(value="dr¦')).toBeNull();
    expect(at("a > 12¦", "expression")).toBeNull();
  });
});

test("a name is put into a hole of its own in plain text only", () => {
  expect(inserted("a b", 2, "template", "x")).toBe("{{ x }}");
  expect(inserted("{{  }}", 3, "template", "x")).toBe("x");
  expect(inserted("", 0, "expression", "x")).toBe("x");
});

test("each token has its class", () => {
  const classes = (language: typeof teraTemplate, text: string) => {
    const found: string[] = [];
    highlightTree(language.parser.parse(text), classHighlighter, (from, to, name) => {
      found.push(`${text.slice(from, to)}:${name.replaceAll("tok-", "")}`);
    });
    return found;
  };
  expect(classes(teraTemplate, 'Hi {{ draft.x | join(sep=", ") }}{# no #}')).toEqual([
    "{{:meta",
    "draft:variableName",
    ".:punctuation",
    "x:propertyName",
    "|:operator",
    "join:variableName2",
    "(:punctuation",
    "sep:variableName",
    "=:operator",
    '", ":string',
    "):punctuation",
    "}}:meta",
    "{# no #}:comment",
  ]);
  expect(classes(teraExpression, "not a is defined and b > 1")).toEqual([
    "not:keyword",
    "a:variableName",
    "is:keyword",
    "defined:variableName2",
    "and:keyword",
    "b:variableName",
    ">:operator",
    "1:number",
  ]);
  expect(classes(luau, 'local a = "x" -- c')).toEqual([
    "local:keyword",
    "a:variableName",
    "=:operator",
    '"x":string',
    "-- c:comment",
  ]);
});
