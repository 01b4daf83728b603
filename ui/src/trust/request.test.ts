// Which questions are about a tool call, and what of it may be changed.
import { expect, test } from "vitest";
import { testToolRequest } from "../ipc/testing/tool-requests";
import { asksToRepeat, editableArgs, toolAsked, toolRequest } from "./request";

test("only the engine's questions about a tool name one", () => {
  expect(toolAsked('"A" wants to use `mcp:loud/shout`. Allow it?')).toBe("mcp:loud/shout");
  const repeat =
    '"A" was cut off while it used `http.request`. The call may have changed something. Make it again?';
  expect(toolAsked(repeat)).toBe("http.request");
  expect(asksToRepeat(repeat)).toBe(true);
  for (const other of [
    null,
    "Good enough?",
    '"A" wants to use `x`. Allow it? Yes.',
    "wants to use `x`. Allow it?",
  ])
    expect(toolAsked(other)).toBeNull();
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
