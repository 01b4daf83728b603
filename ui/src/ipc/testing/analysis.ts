// Analyses as Rust returns them.
import type { Analysis, FlowDoc, HandleInfo, NodeAnalysis } from "../generated/bindings";
import { kinds } from "../generated/recorded/program";
import { answerTo } from "./recorded";

const NO_ESTIMATE = { maxCalls: null, perIteration: null, agentTurns: null, usd: null, counts: "", note: "" };

/**
 * Returns the analysis of a flow that the user draws in the dev server. It contains only the handles that
 * each node's kind has.
 */
function handlesAlone(document: FlowDoc): Analysis {
  const nodes: Record<string, NodeAnalysis> = {};
  for (const { id, type } of document.nodes) {
    const kind = kinds.kinds.find((one) => one.type === type);
    const none: HandleInfo[] = [];
    const { inputs, outputs } = kind ?? { inputs: none, outputs: none };
    nodes[id] = { inputs, outputs, role: "plain", region: null, problems: 0, modelCalls: false };
  }
  return { problems: [], nodes, regions: [], estimate: NO_ESTIMATE, runnable: true };
}

/** Returns the analysis of a flow that is not in a file. */
export const testAnalysis = (document: FlowDoc): Analysis =>
  answerTo("analyze", [document, null], handlesAlone(document));
