// Finds the evaluators of a loop: the branching nodes with a branch that leads to its Exit. For display only.
// Pure.
import type { FlowDoc, FlowNode, HandleInfo, KindInfo, Region } from "../../ipc/generated/bindings";
import { matchHandle } from "../../kernels/handles";
import { titleOf } from "../../kernels/node-title";

/** A branch of a branching node, with a label such as "Enough? › done". */
export type EvaluatorBranch = { readonly node: string; readonly handle: string; readonly label: string };

type Shapes = ReadonlyMap<string, Pick<KindInfo, "shape" | "outputs">>;

const evaluatorBranch = (node: FlowNode, handle: string): EvaluatorBranch => {
  const label = titleOf(node);
  return { node: node.id, handle, label: handle === "" ? label : `${label} › ${handle}` };
};

/**
 * Follows the wires back from Exit. For each path, returns the branch at the first branching node that the
 * path reaches.
 */
export function currentEvaluators(document: FlowDoc, region: Region, byType: Shapes): EvaluatorBranch[] {
  const body = new Set(region.body);
  const found: EvaluatorBranch[] = [];
  const seen = new Set<string>();
  const queue = region.end === null ? [] : [region.end];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const edge of document.edges) {
      if (edge.target !== id || !body.has(edge.source)) continue;
      const node = document.nodes.find((n) => n.id === edge.source);
      if (!node || seen.has(`${node.id}:${edge.sourceHandle}`)) continue;
      seen.add(`${node.id}:${edge.sourceHandle}`);
      const kind = byType.get(node.type);
      // An output that has a value whichever branch is taken does not decide.
      const always = kind?.outputs.some((handle) => handle.always && handle.name === edge.sourceHandle);
      if (kind?.shape === "branching" && !always) found.push(evaluatorBranch(node, edge.sourceHandle ?? ""));
      else queue.push(node.id);
    }
  }
  return found;
}

/**
 * Returns the branches that always lead to Exit. A node whose branches all lead there is left out, since its
 * decision makes no difference.
 */
export function decidingBranches(
  document: FlowDoc,
  region: Region,
  byType: Shapes,
  outputs: (nodeId: string) => readonly HandleInfo[],
  regions: readonly Region[],
): EvaluatorBranch[] {
  const body = new Set(region.body);
  // An inner loop or list counts as one node. Its branches decide only when the inner loop itself ends.
  const inner = new Map(regions.flatMap(({ start, end }) => (end && body.has(start) ? [[end, start]] : [])));
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const leading = new Map<string, Set<string>>();
  const certain = new Set(region.end === null ? [] : [region.end]);
  // The set grows during the iteration.
  for (const id of certain) {
    for (const edge of document.edges) {
      const node = edge.target === id && body.has(edge.source) ? nodes.get(edge.source) : undefined;
      if (!node) continue;
      const handles = outputs(node.id);
      const by = matchHandle(edge.sourceHandle, handles);
      const always = handles.find(({ name }) => name === by?.name)?.always ?? false;
      if (byType.get(node.type)?.shape === "branching" && !always) {
        const branches = leading.get(node.id) ?? new Set();
        leading.set(node.id, branches.add(by?.name ?? edge.sourceHandle ?? ""));
        if (handles.some((handle) => !handle.always && !branches.has(handle.name))) continue;
      }
      certain.add(inner.get(node.id) ?? node.id);
    }
  }
  return [...leading].flatMap(([id, branches]) => {
    const node = certain.has(id) ? undefined : nodes.get(id);
    return node ? [...branches].map((handle) => evaluatorBranch(node, handle)) : [];
  });
}

/** Returns every branch in the region that could end the loop. */
export function possibleEvaluators(
  document: FlowDoc,
  region: Region,
  byType: Shapes,
  branches: (nodeId: string) => readonly HandleInfo[],
): EvaluatorBranch[] {
  return document.nodes
    .filter((node) => region.body.includes(node.id) && byType.get(node.type)?.shape === "branching")
    .flatMap((node) =>
      branches(node.id)
        .filter((handle) => !handle.always)
        .map((handle) => evaluatorBranch(node, handle.name)),
    );
}
