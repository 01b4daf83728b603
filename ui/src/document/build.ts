// Creates nodes and edges from kinds and presets.
import type {
  FlowDoc,
  FlowEdge,
  FlowNode,
  KindInfo,
  PresetInfo,
  ToolDescription,
} from "../ipc/generated/bindings";
import type { Point } from "../kernels/geometry";
import { freeId } from "./edits";

/** An entry of the palette and the quick-add menu: a kind, or a kind with preset data. */
export interface Offer {
  id: string;
  title: string;
  summary: string;
  icon: string;
  kind: KindInfo;
  data: Record<string, unknown>;
}

/** Returns the visible kinds in the registry's order, then the presets. */
export function offersOf(kinds: readonly KindInfo[], presets: readonly PresetInfo[]): Offer[] {
  const byType = new Map(kinds.map((kind) => [kind.type, kind]));
  const own = kinds
    .filter((kind) => !kind.hidden)
    .map((kind) => ({
      id: kind.type,
      title: kind.title,
      summary: kind.summary,
      icon: kind.icon,
      kind,
      data: {},
    }));
  const filled = presets.flatMap((preset) => {
    const kind = byType.get(preset.type);
    if (!kind) return [];
    const { id, title, summary, icon, data, category, inputs, outputs } = preset;
    return [{ id, title, summary, icon, data, kind: { ...kind, category, inputs, outputs } }];
  });
  return [...own, ...filled];
}

/** The prefix of the names of MCP server tools. */
const SERVER_TOOL = "mcp:";

/**
 * Returns each tool of an MCP server as its own offer. They are only for searches, since a server can have
 * hundreds.
 */
export function serverToolOffers(offers: readonly Offer[], tools: readonly ToolDescription[]): Offer[] {
  const preset = offers.find(({ data }) => String(data.tool ?? "").startsWith(SERVER_TOOL));
  if (!preset) return [];
  return (
    tools
      // The entry `mcp:<server>/<tool>` represents the whole kind and is left out.
      .filter(({ name }) => name.startsWith(SERVER_TOOL) && !name.includes("<"))
      .map(({ name, summary }) => ({
        ...preset,
        id: name,
        title: name.slice(SERVER_TOOL.length).replace("/", " "),
        summary,
        data: { ...preset.data, tool: name },
      }))
  );
}

/**
 * Returns a title for a new node: `wanted`, with a number if another node has that title, such as "Draft 2".
 */
export function freeLabel(document: FlowDoc, wanted: string): string {
  const taken = new Set(document.nodes.map((node) => node.data.label));
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/ \d+$/, "");
  for (let n = 2; ; n++) if (!taken.has(`${stem} ${n}`)) return `${stem} ${n}`;
}

/**
 * Returns a name that no other node of the kind uses. Two Output nodes with the same name would be the same
 * output.
 */
export function freeName(document: FlowDoc, type: string, wanted: string): string {
  const alike = document.nodes.filter((node) => node.type === type);
  const taken = new Set(alike.map((node) => String(node.data.name)));
  return taken.has(wanted) ? freeId(taken, wanted.replace(/_\d+$/, "")) : wanted;
}

export function newNode(document: FlowDoc, offer: Offer, position: Point): FlowNode {
  const data: Record<string, unknown> = structuredClone({ ...offer.kind.defaults, ...offer.data });
  if (typeof data.name === "string") data.name = freeName(document, offer.kind.type, data.name);
  const label = typeof offer.data.label === "string" ? offer.data.label : offer.title;
  return {
    id: freeId(new Set(document.nodes.map((node) => node.id)), offer.id),
    type: offer.kind.type,
    position,
    data: { ...data, label: freeLabel(document, label) },
  };
}

export function newEdge(document: FlowDoc, ends: Omit<FlowEdge, "id">): FlowEdge {
  const taken = new Set(document.edges.map((edge) => edge.id));
  return { id: freeId(taken, `${ends.source}_${ends.target}`), ...ends } as FlowEdge;
}

/** Returns the two edges that replace `edge` when `node` is inserted into it. */
export function splitEdge(
  document: FlowDoc,
  edge: FlowEdge,
  node: FlowNode,
  input: string,
  output: string,
): [FlowEdge, FlowEdge] {
  const first: FlowEdge = { ...edge, target: node.id, targetHandle: input };
  const second = newEdge(document, {
    source: node.id,
    sourceHandle: output,
    target: edge.target,
    targetHandle: edge.targetHandle ?? null,
  });
  return [first, second];
}
