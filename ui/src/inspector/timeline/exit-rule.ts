// Finds the rule by which an evaluator ends a loop: the `when` of the branch that leads to Exit. There is no
// such rule if several branches lead there.
import { useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import type { FlowDoc, Json } from "../../ipc/generated/bindings";
import { currentEvaluators } from "../../node-ui/loop/exit-evaluator";

export type ExitRule = { readonly node: string; readonly when: string };

/**
 * Returns the `when` of a node's branch; null if the branch has none, or if the node does not choose by
 * rules.
 */
export function ruleOf(document: FlowDoc, node: string, branch: string): string | null {
  const data = document.nodes.find((n) => n.id === node)?.data;
  // The data may contain a rule that is not in use, because in its current mode a model or the received text
  // decides.
  if ((data?.mode ?? BY_RULES) !== BY_RULES) return null;
  const branches = data?.branches;
  const found = (Array.isArray(branches) ? branches : []).find(
    (b: Json) => typeof b === "object" && b !== null && (b as { name?: Json }).name === branch,
  ) as { when?: Json } | undefined;
  return typeof found?.when === "string" && found.when.trim() !== "" ? found.when : null;
}

/** The default mode, in which the rules of branches decide. */
const BY_RULES = "rules";

let last: ExitRule | null = null;

/**
 * Returns the exit rule of a loop; null unless exactly one rule ends it. `ran` is the flow as it was when the
 * run started, since the document may have been edited after that.
 */
export function useExitRule(loopId: string, ran: FlowDoc | undefined): ExitRule | null {
  const region = useAnalysis((s) => s.analysis.regions.find((r) => r.start === loopId));
  const byType = useKinds((s) => s.byType);
  return useDocument((s) => {
    const document = ran ?? s.document;
    const [only, ...others] = region ? currentEvaluators(document, region, byType) : [];
    const when = only && others.length === 0 ? ruleOf(document, only.node, only.handle) : null;
    if (!only || when === null) return null;
    // Returns the same object while the rule is unchanged, since the page compares references.
    if (last?.node !== only.node || last.when !== when) last = { node: only.node, when };
    return last;
  });
}
