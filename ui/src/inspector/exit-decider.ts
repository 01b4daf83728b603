// Who decides that a loop is done: the branching node whose branch leads to its Exit, for display only.
import { useAnalysis } from "../document/analysis";
import { useDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import type { FlowDoc, KindInfo, Region } from "../ipc/generated/bindings";

/** "Enough? › done"; null while no branch leads to the Exit. */
export function useExitDecider(loopId: string): string | null {
  const region = useAnalysis((s) => s.analysis.regions.find((r) => r.start === loopId));
  const byType = useKinds((s) => s.byType);
  return useDocument((s) => (region ? exitDecider(s.document, region, byType) : null));
}

/** Walks back from the Exit to the nearest branching nodes of the region. */
export function exitDecider(
  document: FlowDoc,
  region: Region,
  byType: ReadonlyMap<string, Pick<KindInfo, "shape">>,
): string | null {
  const body = new Set(region.body);
  const found: string[] = [];
  const seen = new Set<string>();
  const queue = region.end === null ? [] : [region.end];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const edge of document.edges) {
      if (edge.target !== id || !body.has(edge.source)) continue;
      const node = document.nodes.find((n) => n.id === edge.source);
      if (!node || seen.has(`${node.id}:${edge.sourceHandle}`)) continue;
      seen.add(`${node.id}:${edge.sourceHandle}`);
      if (byType.get(node.type)?.shape === "branching") {
        const label =
          typeof node.data.label === "string" && node.data.label !== "" ? node.data.label : node.id;
        found.push(edge.sourceHandle ? `${label} › ${edge.sourceHandle}` : label);
      } else {
        queue.push(node.id);
      }
    }
  }
  return found.length > 0 ? found.join(", ") : null;
}
