// An MCP server of the settings as its form holds it, and back: pure.
import type { McpServer, Settings } from "../../../ipc/generated/bindings";

export type ServerTransport = "program" | "address";

/** What the form holds. Both ways keep what was typed until the server is saved by one of them. */
export interface ServerDraft {
  name: string;
  transport: ServerTransport;
  command: string;
  args: string[];
  env: string[];
  cwd: string;
  url: string;
  /** `Header: NAME_OF_THE_KEY`, one a line. */
  headers: string[];
}

export const NO_SERVER: ServerDraft = {
  name: "",
  transport: "program",
  command: "",
  args: [],
  env: [],
  cwd: "",
  url: "",
  headers: [],
};

export function draftOf(server: McpServer): ServerDraft {
  return {
    name: server.name ?? "",
    transport: server.url ? "address" : "program",
    command: server.command ?? "",
    args: server.args ?? [],
    env: server.env ?? [],
    cwd: server.cwd ?? "",
    url: server.url ?? "",
    headers: Object.entries(server.headers ?? {}).map(([header, key]) => `${header}: ${key}`),
  };
}

/** Header fields with the names of the keys that they carry; null for a line that is none. */
export function headersOf(lines: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const found = /^\s*([\w-]+)\s*:\s*([A-Za-z_]\w*)\s*$/.exec(line);
    if (!found?.[1] || !found[2]) return null;
    headers[found[1]] = found[2];
  }
  return headers;
}

/** What is saved, or what must be put right first. The Rust side looks at all else. */
export function serverOf(draft: ServerDraft): { server: McpServer } | { error: string } {
  const name = draft.name.trim();
  if (draft.transport === "program") {
    const { args, env } = draft;
    const cwd = draft.cwd.trim() || null;
    return {
      server: {
        name,
        command: draft.command.trim(),
        args,
        env: env.map((one) => one.trim()),
        cwd,
        url: null,
        headers: {},
      },
    };
  }
  const headers = headersOf(draft.headers);
  if (headers === null)
    return {
      error:
        "A header is written as Authorization: MY_KEY, with the name of a key and never the key itself. Write one a line.",
    };
  return {
    server: { name, command: null, args: [], env: [], cwd: null, url: draft.url.trim(), headers },
  };
}

/** The settings with `server` in the place of the one at `at`, or behind the last where `at` is null. */
export function withServer(
  settings: Settings,
  at: number | null,
  server: McpServer | null,
): Partial<Settings> {
  const mcpServers = [...settings.mcpServers];
  mcpServers.splice(at ?? mcpServers.length, at === null ? 0 : 1, ...(server === null ? [] : [server]));
  return { mcpServers };
}
