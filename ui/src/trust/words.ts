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

/** What an item is, in words: `*` of hosts is every one. */
export function what(kind: NeedKind, name: string): string {
  return kind === "host" && name === "*" ? "Any host" : name;
}
