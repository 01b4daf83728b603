// What a tool call asks for, in the words that a person decides by: where a request goes, which headers and keys it carries, which
// program starts with which arguments, which file is written. Pure.
import type { Json, StepDetail } from "../ipc/generated/bindings";
import { visible } from "../kernels/visible";

type Args = Readonly<Record<string, Json>>;

/** A tool call that waits for a person. */
export type ToolRequest = {
  /** `http.request`, `mcp:loud/shout` */
  readonly tool: string;
  /** The arguments as the call would use them: templates are filled in, secrets are only named. */
  readonly args: Args;
  /** What came along the main input; some tools take it for an argument that is missing. */
  readonly input: Json;
  /** The call was cut off and may have had its effect: it is made again exactly as it was, or not at all. */
  readonly isRepeat: boolean;
};

/** A line of the request: what it is, and one or more values. */
export type Fact = { readonly label: string; readonly values: readonly string[] };

/** How the engine asks for a tool call (`tool/call.rs`). */
const QUESTION = /" wants to use `([^`]+)`\. Allow it\?$/;

/** How it asks whether a tool call that was cut off is made again. */
const REPEAT =
  /" was cut off while it used `([^`]+)`\. The call may have changed something\. Make it again\?$/;

/** The end of that question, whatever kind of node asks it. */
const AGAIN = /\bMake it again\?$/;

/** The tool that a question is about; null for a question of another kind. */
export const toolAsked = (question: string | null): string | null =>
  (QUESTION.exec(question ?? "") ?? REPEAT.exec(question ?? ""))?.[1] ?? null;

/** Whether the question is about doing something a second time. */
export const asksToRepeat = (question: string | null): boolean => AGAIN.test(question ?? "");

const isObject = (value: Json): value is Args =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The call that a waiting step asks for; null where it asks for something else. */
export function toolRequest(detail: Pick<StepDetail, "reason" | "output" | "inputs">): ToolRequest | null {
  const tool = toolAsked(detail.reason);
  if (tool === null || !isObject(detail.output)) return null;
  return {
    tool,
    args: detail.output,
    input: detail.inputs.input ?? null,
    isRepeat: asksToRepeat(detail.reason),
  };
}

const asLine = (value: Json): string => visible(typeof value === "string" ? value : JSON.stringify(value));

function fact(label: string, ...values: Json[]): Fact[] {
  const present = values.filter((value) => value !== undefined && value !== null && value !== "");
  return present.length === 0 ? [] : [{ label, values: present.map(asLine) }];
}

const list = (value: Json): Json[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** The address as the URL parser writes it, where that is another text. */
function sentAs(url: Json): Fact[] {
  if (typeof url !== "string") return [];
  try {
    const { href } = new URL(url);
    return href === url ? [] : fact("Sent as", href);
  } catch {
    // The tool refuses what is no address.
    return [];
  }
}

/** Headers by name. Of one that carries a secret the key's name is said, never its value. */
function headerFacts(given: Json, body: Json): Fact[] {
  const headers = given ?? {};
  if (!isObject(headers)) return fact("Headers", headers);
  // The tool says what a body is that is no text (`http/mod.rs`).
  const isJson = body != null && typeof body !== "string";
  const isNamed = Object.keys(headers).some((header) => header.toLowerCase() === "content-type");
  const added = isJson && !isNamed ? ["content-type: application/json (added)"] : [];
  const keys = Object.entries(headers).flatMap(([header, value]) =>
    isObject(value) && typeof value.key === "string" ? [`${value.key} in ${header}`] : [],
  );
  return [
    ...fact("Headers", ...Object.keys(headers), ...added),
    ...fact(keys.length > 1 ? "Keys" : "Key", ...keys),
  ];
}

function startFacts(args: Args): Fact[] {
  return [
    ...fact("Folder", args.cwd ?? "The workflow's own folder"),
    ...fact("Environment and keys", ...list(args.env)),
  ];
}

/** What the engine compares word for word with what was approved for the flow. */
const FIXED: Readonly<Record<string, readonly string[]>> = { command: ["program", "args", "cwd", "env"] };

/** The arguments that an answer may change. */
export const editableArgs = ({ tool, args, isRepeat }: ToolRequest): string[] =>
  isRepeat ? [] : Object.keys(args).filter((name) => !FIXED[tool]?.includes(name));

/** What a person allows with this call, one line each. The other arguments stand in the form below. */
export function factsOf({ tool, args, input }: Omit<ToolRequest, "isRepeat">): Fact[] {
  const [server, name] = tool.startsWith("mcp:") ? tool.slice("mcp:".length).split(/\/(.*)/s) : [];
  if (server !== undefined) return [...fact("MCP server", server), ...fact("Tool", name ?? "")];
  const named = fact("Tool", tool);
  if (tool === "http.request") {
    const method = typeof args.method === "string" ? args.method.toUpperCase() : "GET";
    return [
      ...named,
      ...fact("Method", method),
      ...fact("Address", args.url ?? input),
      ...sentAs(args.url ?? input),
      ...headerFacts(args.headers, args.body),
    ];
  }
  if (tool === "command")
    return [
      ...named,
      ...fact("Program", args.program),
      ...fact("Arguments", ...list(args.args)),
      ...startFacts(args),
    ];
  if (tool.startsWith("agent:"))
    return [
      ...fact("Agent", tool.slice("agent:".length)),
      ...fact("May do", args.sandbox),
      ...startFacts(args),
    ];
  if (tool.startsWith("files."))
    return [
      ...named,
      ...fact("Folder", args.folder ?? "The workflow's own folder"),
      ...fact(tool === "files.glob" ? "Pattern" : "File", tool === "files.glob" ? args.pattern : args.path),
    ];
  return named;
}
