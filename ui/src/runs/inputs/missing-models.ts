// The nodes for which no model is available. A run would fail at them, so the window warns before it starts.
import { useAnalysis } from "../../document/analysis";
import { outermost, useDocument } from "../../document/document";
import type { FlowNode } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { pinsOf, usePins } from "./pins";
import { fittingBuiltin, giveBuiltin, openSettings, type SetUpAction } from "./set-up";

export interface MissingModels {
  /** A sentence such as: “Draft” and “Critique” have no model that can answer here. */
  readonly sentence: string;
  /**
   * The nodes of the open document without a model, which can all use a built-in one. Empty if any node
   * without a model is inside a subflow, or if a subflow is shown.
   */
  readonly nodes: readonly FlowNode[];
}

/**
 * Returns the nodes of the open workflow whose model cannot be called; null if there are none. Pinned nodes
 * are left out, because they call no model. Pass `problems` if they are newer than the last analysis.
 */
export function missingModels(problems = useAnalysis.getState().whole.problems): MissingModels | null {
  const state = useDocument.getState();
  const file = outermost(state);
  const { root } = file;
  const pins = pinsOf(file);
  const ids = problems
    .flatMap(({ code, node }) => (code === "model_missing" && node !== null ? [node] : []))
    .filter((id) => !(id in pins));
  const outer = new Set(ids.map((id) => id.split("/")[0]));
  const nodes = root.nodes.filter(({ id }) => outer.has(id));
  if (nodes.length === 0) return null;
  const titles = nodes.map((node) => `“${titleOf(node)}”`);
  const last = titles.pop();
  const names = titles.length === 0 ? last : `${titles.join(", ")} and ${last}`;
  const isHere = state.document === root && ids.every((id) => !id.includes("/"));
  return {
    sentence: `${names} ${nodes.length === 1 ? "has" : "have"} no model that can answer here.`,
    nodes: isHere ? nodes : [],
  };
}

/**
 * Returns an action that sets a built-in model on all these nodes; null if one of them is inside a subflow.
 */
export function builtinAction({ nodes }: MissingModels): SetUpAction | null {
  const [first, ...others] = nodes;
  if (first === undefined) return null;
  const label = others.length === 0 ? `Use built-in ${fittingBuiltin(first)}` : "Use built-in models";
  return { label, run: () => giveBuiltin(nodes) };
}

export function missingModelActions(missing: MissingModels): SetUpAction[] {
  const builtin = builtinAction(missing);
  return builtin === null ? [openSettings] : [openSettings, builtin];
}

export function useMissingModels(): MissingModels | null {
  useAnalysis((s) => s.whole.problems);
  useDocument((s) => s.document);
  usePins((s) => s.byFile);
  return missingModels();
}
