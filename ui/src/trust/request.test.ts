// Nobody approves a call blindly: what it would do is said in lines, and a secret only by its name.
import { expect, test } from "vitest";
import { editableArgs, factsOf, type ToolRequest, toolAsked, toolRequest } from "./request";

const approvalRequest = (tool: string, args: Record<string, unknown>, input: unknown = null) =>
  factsOf({ tool, args, input }).map(({ label, values }) => `${label}: ${values.join(" | ")}`);

test("an HTTP request says method, address, headers by name and the keys that they carry", () => {
  const headers = { Accept: "text/plain", Authorization: { key: "MY_TOKEN", prefix: "Bearer " } };
  expect(
    approvalRequest("http.request", { method: "post", url: "https://api.example.org/a", headers }),
  ).toEqual([
    "Tool: http.request",
    "Method: POST",
    "Address: https://api.example.org/a",
    "Headers: Accept | Authorization",
    "Key: MY_TOKEN in Authorization",
  ]);
});

test("an address that comes by wire is said, and the method that holds where none is written", () => {
  expect(approvalRequest("http.request", {}, "http://127.0.0.1/")).toEqual([
    "Tool: http.request",
    "Method: GET",
    "Address: http://127.0.0.1/",
  ]);
});

test("an address that the parser writes differently is said as it is sent", () => {
  const sent = (url: string) =>
    approvalRequest("http.request", { url }).filter((line) => line.startsWith("Sent as"));
  expect(sent("https://api.example.org/a?b=c")).toEqual([]);
  expect(sent("https://user@bücher.example\\@evil.example/../x")).toEqual([
    "Sent as: https://user@xn--bcher-kva.example/x",
  ]);
  expect(sent("HTTPS://EXAMPLE.org:443")).toEqual(["Sent as: https://example.org/"]);
  expect(sent("no address")).toEqual([]);
});

test("the header that a JSON body gets is said, unless the call has one", () => {
  const headers = (args: Record<string, unknown>) =>
    approvalRequest("http.request", args).filter((line) => line.startsWith("Headers"));
  expect(headers({ body: { a: 1 } })).toEqual(["Headers: content-type: application/json (added)"]);
  expect(headers({ body: { a: 1 }, headers: { Accept: "*/*" } })).toEqual([
    "Headers: Accept | content-type: application/json (added)",
  ]);
  expect(headers({ body: { a: 1 }, headers: { "Content-Type": "a/b" } })).toEqual(["Headers: Content-Type"]);
  expect(headers({ body: "text" })).toEqual([]);
});

test("a program is said with every argument, its folder and what it is given of the environment", () => {
  const args = { program: "git", args: ["push", "--force", "a b"], cwd: "/srv/site", env: ["HOME", "TOKEN"] };
  expect(approvalRequest("command", args)).toEqual([
    "Tool: command",
    "Program: git",
    "Arguments: push | --force | a b",
    "Folder: /srv/site",
    "Environment and keys: HOME | TOKEN",
  ]);
  expect(approvalRequest("command", { program: "ls" })).toContain("Folder: The workflow's own folder");
});

test("tools of a server, agents and files say whose they are and where they work", () => {
  expect(approvalRequest("mcp:loud/shout/all", { text: "a" })).toEqual([
    "MCP server: loud",
    "Tool: shout/all",
  ]);
  expect(approvalRequest("agent:codex", { sandbox: "full", cwd: "/w" })).toEqual([
    "Agent: codex",
    "May do: full",
    "Folder: /w",
  ]);
  expect(approvalRequest("files.write", { folder: "/w", path: "a.md" })).toEqual([
    "Tool: files.write",
    "Folder: /w",
    "File: a.md",
  ]);
});

test("what would hide itself is written out", () => {
  expect(approvalRequest("http.request", { url: "https://a.example/\u202egpj.exe" })[2]).toContain(
    "\\u{202e}",
  );
});

test("only the engine's question about a tool is a request", () => {
  expect(toolAsked('"Fetch" wants to use `http.request`. Allow it?')).toBe("http.request");
  expect(toolAsked('"Fetch" was cut off in the middle of a call. Make it again?')).toBeNull();
  expect(toolAsked(null)).toBeNull();
  const reason = '"Fetch" wants to use `http.request`. Allow it?';
  expect(toolRequest({ reason, output: "text", inputs: {} })).toBeNull();
  expect(toolRequest({ reason, output: { url: "u" }, inputs: { input: "i" } })).toEqual({
    tool: "http.request",
    args: { url: "u" },
    input: "i",
    isRepeat: false,
  });
});

test("a call that was cut off is a request as well, and none of it may be changed", () => {
  const reason =
    '"Fetch" was cut off while it used `http.request`. The call may have changed something. Make it again?';
  const detail = { reason, output: { url: "u" }, inputs: {} };
  expect(toolRequest(detail)).toEqual({
    tool: "http.request",
    args: { url: "u" },
    input: null,
    isRepeat: true,
  });
  const wants = '"Fetch" wants to use `http.request`. Allow it?';
  const editable = (of: typeof detail) => editableArgs(toolRequest(of) as ToolRequest);
  expect(editable(detail)).toEqual([]);
  expect(editable({ ...detail, reason: wants })).toEqual(["url"]);
});

test("of a command that may be changed which the engine does not compare with what was allowed", () => {
  const args = { program: "git", args: ["push"], cwd: "/w", env: ["TOKEN"], stdin: "", timeout: 30 };
  expect(editableArgs({ tool: "command", args, input: null, isRepeat: false })).toEqual(["stdin", "timeout"]);
});
