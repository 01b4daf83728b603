// When nodes in a chain are deleted, connects the nodes before them to those after them, if one wire leads in
// and the types fit.
import { newEdge } from "../document/build";
import { useDocument } from "../document/document";
import { sameEnds } from "../document/edits";
import { canConnect, useKinds } from "../document/kinds";
import type { FlowEdge, HandleInfo } from "../ipc/generated/bindings";
import { reachableNodes } from "../kernels/reach";
import { handlesNow, useScene } from "./scene";
import type { Wire } from "./wires";

/**
 * The shapes of kinds whose nodes pass their input on. Branches and loops are not among them, because they
 * have no single path from input to output.
 */
const PASSING: ReadonlySet<string> = new Set(["plain", "subflow"]);

function passOn(gone: ReadonlySet<string>): boolean {
  const { byType } = useKinds.getState();
  const nodes = useDocument.getState().document.nodes.filter((node) => gone.has(node.id));
  return nodes.length > 0 && nodes.every((node) => PASSING.has(byType.get(node.type)?.shape ?? ""));
}

const inputOf = ({ edge, targetHandle }: Wire): HandleInfo | undefined =>
  handlesNow(edge.target).inputs.find(({ name }) => name === targetHandle);

const outputOf = ({ edge, sourceHandle }: Wire): HandleInfo | undefined =>
  handlesNow(edge.source).outputs.find(({ name }) => name === sourceHandle);

/**
 * Returns the wire that carries the main input of the nodes: the only wire at a primary input, or the only
 * wire if none is primary. Null if there are several, or none.
 */
function entryWire(wires: readonly Wire[]): Wire | null {
  const primary = wires.filter((wire) => inputOf(wire)?.primary);
  const candidates = primary.length > 0 ? primary : wires;
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

/**
 * Returns the wires that connect the nodes before the deleted ones to the nodes after them. Empty if a
 * deleted node does not pass its input on, or if the input is ambiguous.
 */
export function bridgeOver(gone: ReadonlySet<string>): FlowEdge[] {
  if (!passOn(gone)) return [];
  const { document } = useDocument.getState();
  const { allWires } = useScene.getState();
  const into = allWires.filter(({ edge }) => gone.has(edge.target) && !gone.has(edge.source));
  const entry = entryWire(into);
  const from = entry && outputOf(entry);
  if (!entry || !from) return [];
  const within = document.edges.filter((edge) => gone.has(edge.source) && gone.has(edge.target));
  const reached = new Set([entry.edge.target, ...reachableNodes(within, entry.edge.target, "from")]);
  const { convertible } = useKinds.getState();
  const bridges: FlowEdge[] = [];
  for (const wire of allWires) {
    const { edge, targetHandle } = wire;
    const leads = reached.has(edge.source) && !gone.has(edge.target) && outputOf(wire)?.primary;
    const to = leads ? inputOf(wire) : undefined;
    if (!to || edge.target === entry.edge.source || !canConnect(convertible, from, to)) continue;
    const all = { ...document, edges: [...document.edges, ...bridges] };
    const bridge = newEdge(all, {
      source: entry.edge.source,
      sourceHandle: entry.sourceHandle,
      target: edge.target,
      targetHandle,
    });
    if (!all.edges.some((other) => sameEnds(other, bridge))) bridges.push(bridge);
  }
  return bridges;
}
