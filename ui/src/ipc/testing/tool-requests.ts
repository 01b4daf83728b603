// The tools of the double: descriptions of calls for the pages that show them. The real tools describe theirs
// in Rust.
import type { Json, RequestFact, ToolRequest } from "../generated/bindings";

type Args = Readonly<Record<string, Json>>;

/** Returns the request of a waiting step in the program's format. */
export function testToolRequest(tool: string, args: Args, again = false): ToolRequest {
  const facts: RequestFact[] = [];
  const add = (label: string, ...values: Json[]) => {
    const given = values.filter((value) => value !== undefined).map(String);
    if (given.length > 0) facts.push({ label, values: given });
  };
  if (tool === "http.request") {
    const headers = Object.entries((args.headers ?? {}) as Args);
    const isKey = ([, value]: [string, Json]) => typeof value === "object";
    add("Method", args.method ?? "GET");
    add("Address", args.url);
    add("Headers", ...headers.filter((one) => !isKey(one)).map(([name, value]) => `${name}: ${value}`));
    add("Keys", ...headers.filter(isKey).map(([name, value]) => `${(value as Args).key} in ${name}`));
    add("Body", args.body && JSON.stringify(args.body));
  }
  if (tool === "command") {
    add("Program", args.program);
    add("Arguments", ...((args.args ?? []) as Json[]));
  }
  const fixed = Object.keys(args).filter(
    (name) => again || (tool === "command" && ["program", "args", "cwd", "env"].includes(name)),
  );
  return { tool, again, fixed, facts, problem: args.url === "" ? "There is no address." : null };
}
