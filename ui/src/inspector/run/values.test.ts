// Values as text, the display formats of values, and a step as Markdown.
import { describe, expect, test } from "vitest";
import { stepDetail } from "../../ipc/testing/values";
import { formsOf, parsed, stepMarkdown } from "./values";

const step = stepDetail({
  inputs: { prompt: "Write." },
  output: "Some ```code``` here.",
  prompt: "Write.",
  usage: { calls: 1, input_tokens: 10, output_tokens: 20, cost_usd: 0.01 },
  durationMs: 1500,
  model: "gpt-4.1",
});

describe("the forms of a value", () => {
  test("a text may be read as Markdown, or as the JSON that it holds", () => {
    expect(formsOf("plain")).toEqual(["text", "markdown"]);
    expect(formsOf('{"a": 1}')).toEqual(["text", "json"]);
    expect(formsOf("{ not json")).toEqual(["text", "markdown"]);
    expect(formsOf({ a: 1 })).toEqual(["json", "text"]);
    expect(formsOf(null)).toEqual(["text"]);
  });

  test("JSON in a text is read", () => {
    expect(parsed(' [1, {"a": null}] ')).toEqual([1, { a: null }]);
    expect(parsed("3")).toBe("3");
  });
});

describe("a step as Markdown", () => {
  test("says what it is, what it took, and what went in and came out", () => {
    const text = stepMarkdown("Draft", step);
    expect(text).toContain("## Draft (`refine[2]/draft`)\n\ngpt-4.1, 1.5 s, 30 tokens, $0.010\n");
    expect(text).toContain("### Prompt\n\n```\nWrite.\n```");
    // The fence is longer than every run of backticks in the text.
    expect(text).toContain("### Output\n\n````\nSome ```code``` here.\n````");
    expect(text).not.toContain("### Input");
  });

  test("without a prompt its inputs are told, and an error in place of an output", () => {
    const error = { code: "timeout", message: "Too slow.", partial: null };
    const failed = { ...step, prompt: null, output: null, error };
    const text = stepMarkdown("Draft", failed);
    expect(text).toContain("### Input prompt");
    expect(text).toContain("### Error\n\n`timeout` Too slow.");
  });
});
