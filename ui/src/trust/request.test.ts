// The questions about tool calls, and the parts that may be edited.
import { expect, test } from "vitest";
import type { Question } from "../ipc/generated/bindings";
import { testToolRequest } from "../ipc/testing/tool-requests";
import { asksToRepeat, editableArgs, toolAsked, toolRequest } from "./request";

test("a question about a tool names it", () => {
  const allow: Question = { type: "allow_tool", title: "A", tool: "mcp:loud/shout" };
  expect([toolAsked(allow), asksToRepeat(allow)]).toEqual(["mcp:loud/shout", false]);
  const repeat: Question = { type: "repeat", title: "A", tool: "http.request" };
  expect([toolAsked(repeat), asksToRepeat(repeat)]).toEqual(["http.request", true]);
  const unnamed: Question = { type: "repeat", title: "A", tool: null };
  expect([toolAsked(unnamed), asksToRepeat(unnamed)]).toEqual([null, true]);
  const words = '"A" wants to use `x`. Allow it?';
  expect([toolAsked({ type: "approve", message: words }), toolAsked(null)]).toEqual([null, null]);
});

test("a step that asks for something else is no request", () => {
  expect(toolRequest({ output: { a: 1 }, request: null })).toBeNull();
});

test("a request keeps what the tool says of the call", () => {
  const args = { url: "https://example.org/", method: "POST" };
  const request = toolRequest({ output: args, request: testToolRequest("http.request", args) });
  expect(request).toMatchObject({ tool: "http.request", args, isRepeat: false, problem: null });
  expect(request?.facts[0]).toEqual({ label: "Method", values: ["POST"] });
});

test("of a program the input may change, and of a call that is made again nothing", () => {
  const args = { program: "make", args: ["x"], stdin: "1" };
  const of = (again: boolean) =>
    toolRequest({ output: args, request: testToolRequest("command", args, again) });
  expect(editableArgs(of(false) as never)).toEqual(["stdin"]);
  expect(editableArgs(of(true) as never)).toEqual([]);
});
