// Which nodes are the evaluators of a loop: the branching nodes with a branch that leads to its Exit, for display only. Pure.
import type { FlowDoc, FlowNode, HandleInfo, KindInfo, Region } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";

/** A branch of a branching node: "Enough? › done". */
export type EvaluatorBranch = { readonly node: string; readonly handle: string; readonly label: string };

type Shapes = ReadonlyMap<string, Pick<KindInfo, "shape" | "outputs">>;

const evaluatorBranch = (node: FlowNode, handle: string): EvaluatorBranch => {
  const label = titleOf(node);
  return { node: node.id, handle, label: handle === "" ? label : `${label} › ${handle}` };
};

/** Walks back from the Exit to the nearest branching nodes of the region. */
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
      // An output that has a value whichever branch is taken decides nothing.
      const always = kind?.outputs.some((handle) => handle.always && handle.name === edge.sourceHandle);
      if (kind?.shape === "branching" && !always) found.push(evaluatorBranch(node, edge.sourceHandle ?? ""));
      else queue.push(node.id);
    }
  }
  return found;
}

/** Every branch of the region that could decide. */
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
