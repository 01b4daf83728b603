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

/** What `*` stands for, by kind: any host, and what is known only while the flow runs. */
const ANY: Partial<Record<NeedKind, string>> = {
  host: "Any host",
  read: "A folder that is computed",
  write: "A folder that is computed",
  command: "A program that is computed",
};

/**
 * What an item is, in words: what `*` stands for, where a key goes; the mark by which a server's exact command is known says
 * nothing.
 */
export function describeItem(kind: NeedKind, name: string): string {
  if (kind === "server" || kind === "server_tool") return name.replace(/#(?:[0-9a-f]{12}|[0-9a-f]{64})$/, "");
  if (kind === "key") return keyAndPlace(name);
  return name === "*" ? (ANY[kind] ?? name) : name;
}

/** `MY_TOKEN@https://api.example.org`, in words. */
function keyAndPlace(name: string): string {
  const at = name.indexOf("@");
  if (at < 0) return name;
  const [key, place] = [name.slice(0, at), name.slice(at + 1)];
  const to = place.startsWith("agent:") ? `the agent ${place.slice("agent:".length)}` : place;
  return `${key === "*" ? "A key that is computed" : key} → ${to === "*" ? "an address that is computed" : to}`;
}

/** A recorded item, `host:api.example.org`, as its kind and its name. */
export function itemOf(item: string): { kind: NeedKind | null; name: string } {
  const at = item.indexOf(":");
  const kind = (Object.keys(KINDS) as NeedKind[]).find((known) => known === item.slice(0, at)) ?? null;
  return { kind, name: kind === null ? item : describeItem(kind, item.slice(at + 1)) };
}
