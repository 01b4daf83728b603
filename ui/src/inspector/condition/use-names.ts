// The names for the pickers. For a loop they come from the document, its analysis and the last shown run; for
// other fields, from Rust.
import { useMemo } from "react";
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import type { FlowNode, HandleInfo } from "../../ipc/generated/bindings";
import { useChoice, useShownRun } from "../../runs/view/shown";
import { useNamesAt } from "../form/code/names";
import { conditionNames, type NameGroup, scopeNames } from "./names";

const NO_HANDLES: readonly HandleInfo[] = [];

export function useConditionNames(loop: FlowNode, test: "before" | "after"): NameGroup[] {
  const document = useDocument((s) => s.document);
  const analysis = useAnalysis((s) => s.analysis);
  const byType = useKinds((s) => s.byType);
  const run = useShownRun()?.state ?? null;
  const choice = useChoice();
  return useMemo(
    () =>
      conditionNames(loop, test, {
        document,
        region: analysis.regions.find((region) => region.start === loop.id),
        outputs: (id) => analysis.nodes[id]?.outputs ?? NO_HANDLES,
        kindOf: (type) => byType.get(type),
        run,
        choice,
      }),
    [loop, test, document, analysis, byType, run, choice],
  );
}

/**
 * Returns the names that a field of a node can read. `field` is a path in the node's data, such as
 * `branches[0].when`.
 */
export function useNamesInScope(node: string, field: string): NameGroup[] {
  const { names } = useNamesAt(node, field);
  return useMemo(() => scopeNames(names), [names]);
}
