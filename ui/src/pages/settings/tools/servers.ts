// Converts between an MCP server in the settings and its form. Pure.
import type { McpServer, Settings } from "../../../ipc/generated/bindings";

export type ServerTransport = "program" | "address";

/**
 * The content of the form. It has the fields of both transports, so that switching between them loses no
 * text.
 */
export interface ServerDraft {
  name: string;
  transport: ServerTransport;
  command: string;
  args: string[];
  env: string[];
  cwd: string;
  url: string;
  /** Header fields in the form `Header: NAME_OF_THE_KEY`. */
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

/** Parses header fields. Returns the name of the key for each header; null if a line is invalid. */
export function headersOf(lines: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const found = /^\s*([\w-]+)\s*:\s*([A-Za-z_]\w*)\s*$/.exec(line);
    if (!found?.[1] || !found[2]) return null;
    headers[found[1]] = found[2];
  }
  return headers;
}

/**
 * Returns the server to save, or the first error that can be found without the engine, which checks the rest.
 */
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
        "Write each header on its own line, such as Authorization: MY_KEY. Use the name of a key, never the key itself.",
    };
  return {
    server: { name, command: null, args: [], env: [], cwd: null, url: draft.url.trim(), headers },
  };
}

/**
 * Returns the settings with `server` at index `at`, or appended if `at` is null. If `server` is null, the
 * server at `at` is removed.
 */
export function withServer(
  settings: Settings,
  at: number | null,
  server: McpServer | null,
): Partial<Settings> {
  const mcpServers = [...settings.mcpServers];
  mcpServers.splice(at ?? mcpServers.length, at === null ? 0 : 1, ...(server === null ? [] : [server]));
  return { mcpServers };
}
