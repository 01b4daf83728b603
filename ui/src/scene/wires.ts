// From edges to drawn wires: at which sockets, in which colour, and which of them feed a loop.
import type { Analysis, FlowDoc, FlowEdge, HandleInfo, KindInfo, ValueType } from "../ipc/generated/bindings";
import type { Ends } from "../kernels/folds";
import { matchHandle } from "../kernels/handles";

export type WireTone = ValueType | "feedback";

export interface Wire {
  edge: FlowEdge;
  sourceHandle: string;
  targetHandle: string;
  tone: WireTone;
  /** The loop that a feedback wire feeds. */
  loop: string | null;
  bad: boolean;
  /** Where it is drawn, if one of its nodes is folded into another. */
  ends?: Ends;
}

/** The sockets between which a wire is drawn. */
export const endsOf = ({ edge, sourceHandle, targetHandle, ends }: Wire): Ends =>
  ends ?? { source: edge.source, sourceHandle, target: edge.target, targetHandle };

export interface NodeHandles {
  inputs: readonly HandleInfo[];
  outputs: readonly HandleInfo[];
}

/** A node of an unknown kind gets a socket for every wire that its file gives it, so that none is lost from view. */
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

/** Whether the handle takes a loop's feedback: the one input of a looping kind that is not its primary one. */
export function isFeedbackHandle(kind: KindInfo | undefined, handle: string): boolean {
  return kind?.repeats === "loop" && handle === "feedback";
}

/** Whether wires from the handle lead into the body of a kind that runs it several times. */
export function isBodyHandle(kind: KindInfo | undefined, handle: string): boolean {
  return kind?.repeats === "each" || (kind?.repeats === "loop" && handle === "body");
}

/** Whether a socket is drawn also while nothing is wired to it: what a node is mostly wired by, its branches, and what a person named. */
export function isMainSocket(kind: KindInfo, handle: HandleInfo, output: boolean): boolean {
  if (handle.primary || isFeedbackHandle(kind, handle.name) || isBodyHandle(kind, handle.name)) return true;
  if (output && kind.shape === "branching") return !handle.always;
  const own = output ? kind.outputs : kind.inputs;
  // A kind without a primary socket is wired by its first.
  const first = own.some((one) => one.primary) ? undefined : own[0];
  return first?.name === handle.name || !own.some((one) => one.name === handle.name);
}

/** Whether a socket stands in the card's rows now: a main one, or one with a wire. All do where the kind is not known. */
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

/** Keys of the sockets that have a wire: `<node>|in|<handle>` and `<node>|out|<handle>`. */
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
