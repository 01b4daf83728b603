// The names for pickers: of a loop out of the document, its analysis and the run that was shown last; of another field as the Rust side
// lists them.
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

/** The names that a field of a node can read. `field`: `branches[0].when`. */
export function useNamesInScope(node: string, field: string): NameGroup[] {
  const { names } = useNamesAt(node, field);
  return useMemo(() => scopeNames(names), [names]);
}
