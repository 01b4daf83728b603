// How the kinds of things that a flow may use are said to a person.
import type { IconName } from "../components/Icon";
import type { NeedKind } from "../ipc/generated/bindings";

interface Words {
  title: string;
  icon: IconName;
}

export const KINDS: Record<NeedKind, Words> = {
  host: { title: "Hosts on the internet", icon: "globe" },
  private: { title: "This computer and its network", icon: "triangle-alert" },
  read: { title: "Folders to read", icon: "folder-open" },
  write: { title: "Folders to read and write", icon: "folder-open" },
  command: { title: "Programs to start", icon: "terminal" },
  server: { title: "MCP servers", icon: "plug" },
  server_tool: { title: "Tools of MCP servers", icon: "plug" },
  key: { title: "Keys", icon: "key-round" },
};

/** What an item is, in words: `*` of hosts is every one, and the mark by which a server's exact command is known says nothing. */
export function what(kind: NeedKind, name: string): string {
  if (kind === "server" || kind === "server_tool") return name.replace(/#(?:[0-9a-f]{12}|[0-9a-f]{64})$/, "");
  return kind === "host" && name === "*" ? "Any host" : name;
}

/** A recorded item, `host:api.example.org`, as its kind and its name. */
export function itemOf(item: string): { kind: NeedKind | null; name: string } {
  const at = item.indexOf(":");
  const kind = (Object.keys(KINDS) as NeedKind[]).find((known) => known === item.slice(0, at)) ?? null;
  return { kind, name: kind === null ? item : what(kind, item.slice(at + 1)) };
}
