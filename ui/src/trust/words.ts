// The wording for the kinds of permissions that a flow may need.
import type { IconName } from "../components/Icon";
import type { NeedKind } from "../ipc/generated/bindings";
import { escapeInvisible } from "../kernels/visible";

interface Words {
  title: string;
  icon: IconName;
  /** The noun for one item and for several: `1 host`, `2 hosts`. */
  one: string;
  many: string;
}

/** The wording for each kind. The most important kind comes last, next to the buttons. */
export const KINDS: Record<NeedKind, Words> = {
  host: { title: "Hosts on the internet", icon: "globe", one: "host", many: "hosts" },
  key: { title: "Keys", icon: "key-round", one: "key", many: "keys" },
  read: { title: "Folders to read", icon: "folder-open", one: "folder to read", many: "folders to read" },
  server_tool: {
    title: "Tools of MCP servers",
    icon: "plug",
    one: "tool of an MCP server",
    many: "tools of MCP servers",
  },
  server: { title: "MCP servers", icon: "plug", one: "MCP server", many: "MCP servers" },
  private: {
    title: "This computer and its network",
    icon: "triangle-alert",
    one: "address of this computer or its network",
    many: "addresses of this computer or its network",
  },
  write: {
    title: "Folders to read and write",
    icon: "folder-open",
    one: "folder to write",
    many: "folders to write",
  },
  command: { title: "Programs to start", icon: "terminal", one: "program", many: "programs" },
};

/** Counts the items of each kind: `1000 hosts, 1 program`. */
export function countNeeds(needs: readonly { kind: NeedKind }[]): string {
  const counted = (Object.keys(KINDS) as NeedKind[]).flatMap((kind) => {
    const count = needs.filter((need) => need.kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? KINDS[kind].one : KINDS[kind].many}`];
  });
  return counted.join(", ");
}

const LABEL = 60;
const LABELS = 3;

/**
 * Formats labels of nodes. The labels are quoted, to distinguish text of the flow's author from text of the
 * program, and shortened.
 */
export function quoteLabels(labels: readonly string[]): string {
  const shown = labels.slice(0, LABELS).map((label) => {
    const letters = [...escapeInvisible(label)];
    return `“${letters.length > LABEL ? `${letters.slice(0, LABEL).join("")}…` : letters.join("")}”`;
  });
  if (labels.length > LABELS) shown.push(`and ${labels.length - LABELS} more`);
  return shown.join(", ");
}

/** How `*` is displayed for a kind: any host, or something that is known only while the flow runs. */
const ANY: Partial<Record<NeedKind, string>> = {
  host: "Any host",
  read: "A computed folder",
  write: "A computed folder",
  command: "A computed program",
};

/**
 * Describes an item for display. `*` is put into words, a key is shown with its destination, and the digest
 * of a server's command is left out.
 */
export function describeItem(kind: NeedKind, name: string): string {
  if (kind === "server" || kind === "server_tool") return name.replace(/#(?:[0-9a-f]{12}|[0-9a-f]{64})$/, "");
  if (kind === "key") return keyAndPlace(name);
  return name === "*" ? (ANY[kind] ?? name) : name;
}

/**
 * Describes a recorded key and its destination, such as `MY_TOKEN@https://api.example.org`: "MY_TOKEN →
 * https://api.example.org".
 */
function keyAndPlace(name: string): string {
  const at = name.indexOf("@");
  if (at < 0) return name;
  const [key, place] = [name.slice(0, at), name.slice(at + 1)];
  const to = place.startsWith("agent:") ? `the agent ${place.slice("agent:".length)}` : place;
  return `${key === "*" ? "A computed key" : key} → ${to === "*" ? "a computed address" : to}`;
}

/**
 * Splits a recorded item, such as `host:api.example.org`, into its kind and its displayed name. For an
 * unknown kind, the kind is null and the name is the whole item.
 */
export function itemOf(item: string): { kind: NeedKind | null; name: string } {
  const at = item.indexOf(":");
  const kind = (Object.keys(KINDS) as NeedKind[]).find((known) => known === item.slice(0, at)) ?? null;
  return { kind, name: kind === null ? item : describeItem(kind, item.slice(at + 1)) };
}
