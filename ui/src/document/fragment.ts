// A part of a flow that is copied, pasted or duplicated. On the clipboard it is the JSON of a small flow, so
// it can also be opened as a file or pasted into a text editor.
import type { FlowDoc, FlowEdge, FlowNode, RenamedData } from "../ipc/generated/bindings";
import { boundsOf, type Point } from "../kernels/geometry";
import { CARD_SIZE, type Size } from "../kernels/placement";
import { freeLabel, freeName } from "./build";
import { type Group, groupsOf, withinGroups } from "./groups";
import { freeId } from "./ids";
import { ownIds } from "./own-ids";

export interface Fragment {
  nodes: FlowNode[];
  edges: FlowEdge[];
  groups: Group[];
}

/** Returns the named nodes, the wires between them, and the groups that contain only these nodes. */
export function fragmentOf(document: FlowDoc, ids: ReadonlySet<string>): Fragment {
  return {
    nodes: document.nodes.filter((node) => ids.has(node.id)),
    edges: document.edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target)),
    groups: withinGroups(groupsOf(document), ids),
  };
}

/** Returns a flow that contains only the nodes, wires and groups of the fragment. */
export const asFlow = ({ nodes, edges, groups }: Fragment): FlowDoc => ({
  schemaVersion: 1,
  nodes,
  edges,
  ...(groups.length > 0 ? { groups } : {}),
});

export const writeFragment = (fragment: Fragment): string => JSON.stringify(asFlow(fragment), null, 2);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPlace = (value: unknown): value is Point =>
  isRecord(value) && Number.isFinite(value.x) && Number.isFinite(value.y);

/** The distance in pixels between nodes without a position, which are placed in a row. */
const APART = 240;

/** Returns whether another system wrote these nodes: its wires or positions use a different format. */
const isForeign = (flow: Record<string, unknown>, nodes: readonly unknown[]): boolean =>
  (!Array.isArray(flow.edges) && isRecord(flow.connections)) ||
  nodes.some((node) => isRecord(node) && Array.isArray(node.position));

/**
 * Parses a fragment. Returns null if the text is not a flow with at least one node, or comes from another
 * system. Invalid nodes and wires are left out. If several nodes have the same id, the first keeps the id and
 * the wires; the others get new ids.
 */
export function readFragment(text: string): Fragment | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Other clipboard content is not a fragment.
    return null;
  }
  if (!isRecord(value) || !Array.isArray(value.nodes) || isForeign(value, value.nodes)) return null;
  const nodes = value.nodes.flatMap((node: unknown, i): FlowNode[] => {
    if (!isRecord(node) || typeof node.id !== "string" || typeof node.type !== "string") return [];
    const position = isPlace(node.position) ? node.position : { x: i * APART, y: 0 };
    const data = isRecord(node.data) ? node.data : {};
    return [{ ...node, id: node.id, type: node.type, position, data }];
  });
  if (nodes.length === 0) return null;
  const there = new Set(nodes.map(({ id }) => id));
  const rawEdges: unknown[] = Array.isArray(value.edges) ? value.edges : [];
  const edges = rawEdges.flatMap((edge, i): FlowEdge[] => {
    if (!isRecord(edge) || typeof edge.source !== "string" || typeof edge.target !== "string") return [];
    if (!there.has(edge.source) || !there.has(edge.target)) return [];
    const id = typeof edge.id === "string" ? edge.id : `e${i}`;
    return [{ ...edge, id, source: edge.source, target: edge.target }];
  });
  const { document } = ownIds({ nodes, edges });
  const groups = withinGroups(groupsOf({ groups: value.groups }), there);
  return { nodes: document.nodes, edges: document.edges, groups };
}

/** Returns new ids for those nodes whose ids already exist in the document, keyed by the old ids. */
export function newIds(document: FlowDoc, fragment: Fragment): Map<string, string> {
  const there = new Set(document.nodes.map((node) => node.id));
  const taken = new Set([...there, ...fragment.nodes.map((node) => node.id)]);
  const names = new Map<string, string>();
  for (const { id } of fragment.nodes) {
    if (!there.has(id)) continue;
    const free = freeId(taken, id.replace(/_\d+$/, ""));
    taken.add(free);
    names.set(id, free);
  }
  return names;
}

const boundsOfPlaces = ({ nodes }: Fragment) =>
  boundsOf(nodes.map(({ position: { x, y } }) => ({ left: x, top: y, right: x, bottom: y })));

/** Returns the top left corner of the fragment's positions. */
export function cornerOf(fragment: Fragment): Point {
  const all = boundsOfPlaces(fragment);
  return { x: all?.left ?? 0, y: all?.top ?? 0 };
}

/** Returns the fragment's size in pixels. Unmeasured cards are assumed to have the default size. */
export function sizeOf(fragment: Fragment): Size {
  const { left = 0, top = 0, right = 0, bottom = 0 } = boundsOfPlaces(fragment) ?? {};
  return { width: right - left + CARD_SIZE.width, height: bottom - top + CARD_SIZE.height };
}

/**
 * Returns the fragment as it will be inserted into the document: moved by `offset`, with new ids for nodes,
 * wires and groups, unused titles, and updated references in the data.
 */
export function copied(
  document: FlowDoc,
  fragment: Fragment,
  names: ReadonlyMap<string, string>,
  data: RenamedData["data"],
  offset: Point,
): Fragment {
  const idOf = (id: string) => names.get(id) ?? id;
  const edgeIds = new Set(document.edges.map((edge) => edge.id));
  const groupIds = new Set(groupsOf(document).map((group) => group.id));
  let titles = document;
  const nodes = fragment.nodes.map((node) => {
    const { x, y } = node.position;
    const position = { ...node.position, x: x + offset.x, y: y + offset.y };
    const own: Record<string, unknown> = structuredClone(data[node.id] ?? node.data);
    if (typeof own.label === "string" && own.label !== "") own.label = freeLabel(titles, own.label);
    if (typeof own.name === "string") own.name = freeName(titles, node.type, own.name);
    const copy: FlowNode = { ...structuredClone(node), id: idOf(node.id), position, data: own };
    titles = { ...titles, nodes: [...titles.nodes, copy] };
    return copy;
  });
  const edges = fragment.edges.map((edge) => {
    const id = edgeIds.has(edge.id) ? freeId(edgeIds, edge.id.replace(/_\d+$/, "")) : edge.id;
    edgeIds.add(id);
    return { ...structuredClone(edge), id, source: idOf(edge.source), target: idOf(edge.target) };
  });
  const groups = fragment.groups.map((group) => {
    const id = groupIds.has(group.id) ? freeId(groupIds, group.id.replace(/_\d+$/, "")) : group.id;
    groupIds.add(id);
    return { ...structuredClone(group), id, nodes: group.nodes.map(idOf) };
  });
  return { nodes, edges, groups };
}
