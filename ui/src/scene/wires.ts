// Maps edges to drawn wires: their sockets, their colour, and the loop they feed.
import type { Analysis, FlowDoc, FlowEdge, HandleInfo, KindInfo, ValueType } from "../ipc/generated/bindings";
import type { Ends } from "../kernels/folds";
import { matchHandle } from "../kernels/handles";

export type WireTone = ValueType | "feedback";

export interface Wire {
  edge: FlowEdge;
  sourceHandle: string;
  targetHandle: string;
  tone: WireTone;
  /** For a feedback wire, the id of its loop; otherwise null. */
  loop: string | null;
  bad: boolean;
  /** The ends at which the wire is drawn, if a fold hides one of its nodes. */
  ends?: Ends;
}

/** Returns the nodes and sockets between which a wire is drawn. */
export const endsOf = ({ edge, sourceHandle, targetHandle, ends }: Wire): Ends =>
  ends ?? { source: edge.source, sourceHandle, target: edge.target, targetHandle };

export interface NodeHandles {
  inputs: readonly HandleInfo[];
  outputs: readonly HandleInfo[];
}

/**
 * Returns handles for a node of an unknown kind. Each name that its wires use gets a handle, so that no wire
 * is hidden.
 */
export function placeholderHandles(document: FlowDoc, id: string): NodeHandles {
  const named = (names: (string | null | undefined)[]): HandleInfo[] =>
    [...new Set(names.map((name) => name ?? "data"))].map((name, i) => ({
      name,
      label: name,
      valueType: "any",
      primary: i === 0,
      many: true,
      always: false,
    }));
  return {
    inputs: named(document.edges.filter((edge) => edge.target === id).map((edge) => edge.targetHandle)),
    outputs: named(document.edges.filter((edge) => edge.source === id).map((edge) => edge.sourceHandle)),
  };
}

export function handlesOf(
  document: FlowDoc,
  analysis: Analysis,
  kinds: ReadonlyMap<string, KindInfo>,
  id: string,
  type: string,
): NodeHandles {
  const kind = kinds.get(type);
  const analysed = analysis.nodes[id];
  if (analysed && (analysed.inputs.length > 0 || analysed.outputs.length > 0)) return analysed;
  return kind ?? placeholderHandles(document, id);
}

/** Returns whether the handle takes a loop's feedback: the input `feedback` of a loop. */
export function isFeedbackHandle(kind: KindInfo | undefined, handle: string): boolean {
  return kind?.repeats === "loop" && handle === "feedback";
}

/** Returns whether wires from the handle lead into the body of a loop or an iterator. */
export function isBodyHandle(kind: KindInfo | undefined, handle: string): boolean {
  return kind?.repeats === "each" || (kind?.repeats === "loop" && handle === "body");
}

/**
 * Returns whether a socket is drawn even without a wire. This applies to primary sockets (or the first, if
 * the kind has none), branches, the feedback and body sockets of loops, and sockets that the user named.
 */
export function isMainSocket(kind: KindInfo, handle: HandleInfo, output: boolean): boolean {
  if (handle.primary || isFeedbackHandle(kind, handle.name) || isBodyHandle(kind, handle.name)) return true;
  if (output && kind.shape === "branching") return !handle.always;
  const own = output ? kind.outputs : kind.inputs;
  // If a kind has no primary socket, its first socket counts as the main one.
  const first = own.some((one) => one.primary) ? undefined : own[0];
  return first?.name === handle.name || !own.some((one) => one.name === handle.name);
}

/**
 * Returns whether a socket has a row on the card. Main and connected sockets have one; if the kind is
 * unknown, all do.
 */
export const isInRow = (
  kind: KindInfo | undefined,
  node: string,
  handle: HandleInfo,
  output: boolean,
  connected: ReadonlySet<string>,
): boolean =>
  !kind || isMainSocket(kind, handle, output) || connected.has(socketKey(node, output, handle.name));

export function wiresOf(document: FlowDoc, analysis: Analysis, kinds: ReadonlyMap<string, KindInfo>): Wire[] {
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const handles = new Map<string, NodeHandles>();
  const handlesFor = (id: string, type: string) => {
    const known = handles.get(id) ?? handlesOf(document, analysis, kinds, id, type);
    handles.set(id, known);
    return known;
  };
  const loopOf = new Map(
    analysis.regions.flatMap((region) => region.feedbackEdges.map((edge) => [edge, region.start] as const)),
  );
  const bad = new Set(
    analysis.problems.flatMap((problem) =>
      problem.severity === "error" && problem.place?.startsWith("edge:") ? [problem.place.slice(5)] : [],
    ),
  );
  return document.edges.flatMap((edge) => {
    const source = nodes.get(edge.source);
    const target = nodes.get(edge.target);
    if (!source || !target) return [];
    const from = matchHandle(edge.sourceHandle, handlesFor(source.id, source.type).outputs);
    const to = matchHandle(edge.targetHandle, handlesFor(target.id, target.type).inputs);
    if (!from || !to) return [];
    const feeds = isFeedbackHandle(kinds.get(target.type), to.name) ? target.id : null;
    const loop = loopOf.get(edge.id) ?? feeds;
    return [
      {
        edge,
        sourceHandle: from.name,
        targetHandle: to.name,
        tone: loop ? "feedback" : from.valueType === "any" ? to.valueType : from.valueType,
        loop,
        bad: bad.has(edge.id),
      } satisfies Wire,
    ];
  });
}

/** Returns the keys of the connected sockets: `<node>|in|<handle>` and `<node>|out|<handle>`. */
export function connectedSockets(wires: readonly Wire[]): Set<string> {
  return new Set(
    wires.flatMap((wire) => {
      const { source, sourceHandle, target, targetHandle } = endsOf(wire);
      return [socketKey(source, true, sourceHandle), socketKey(target, false, targetHandle)];
    }),
  );
}

export const socketKey = (node: string, output: boolean, handle: string): string =>
  `${node}|${output ? "out" : "in"}|${handle}`;
