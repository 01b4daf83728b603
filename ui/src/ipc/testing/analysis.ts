// An approximate analysis for the double: enough to draw regions, wires and one problem. The real rules are
// in Rust.
import type { Analysis, FlowDoc, HandleInfo, NodeAnalysis, Problem, Region } from "../generated/bindings";
import { testKinds } from "./kinds";

/** Returns the handles of a subflow from the inputs or outputs of its flow. */
function boundary(flow: FlowDoc, type: "input" | "output"): HandleInfo[] {
  return flow.nodes
    .filter((node) => node.type === type)
    .map((node, i) => {
      const name = String(node.data.name ?? node.id);
      return { name, label: name, valueType: "text", primary: i === 0, many: false, always: false };
    });
}

export function testAnalysis(document: FlowDoc): Analysis {
  const kinds = new Map(testKinds.kinds.map((kind) => [kind.type, kind]));
  const problems: Problem[] = [];
  const regions: Region[] = [];
  const nodes: Record<string, NodeAnalysis> = {};
  const isFeedback = (target: string, handle: string | null | undefined) =>
    handle === "feedback" && document.nodes.find((n) => n.id === target)?.type === "loop";
  const reach = (from: string, forward: boolean) => {
    const seen = new Set<string>();
    const queue = document.edges
      .filter((e) =>
        forward
          ? e.source === from && ["body", "item"].includes(e.sourceHandle ?? "")
          : e.target === from && !isFeedback(e.target, e.targetHandle),
      )
      .map((e) => (forward ? e.target : e.source));
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (seen.has(id) || id === from) continue;
      seen.add(id);
      const at = document.nodes.find((n) => n.id === id);
      if (forward && (at?.type === "exit" || at?.type === "aggregator")) continue;
      for (const e of document.edges) {
        if (isFeedback(e.target, e.targetHandle)) continue;
        if (forward && e.source === id) queue.push(e.target);
        if (!forward && e.target === id) queue.push(e.source);
      }
    }
    return seen;
  };
  for (const start of document.nodes) {
    const kind = kinds.get(start.type);
    if (!kind?.repeats) continue;
    const below = reach(start.id, true);
    const end = [...below].find((id) => document.nodes.find((n) => n.id === id)?.type === kind.pairedWith);
    const body = [...below].filter((id) => id !== end);
    regions.push({
      start: start.id,
      end: end ?? null,
      repeats: kind.repeats,
      body,
      core: end ? body.filter((id) => reach(end, false).has(id)) : body,
      tail: [],
      leaves: [],
      feedbackEdges: document.edges
        .filter((e) => e.target === start.id && e.targetHandle === "feedback")
        .map((e) => e.id),
      maxIterations: kind.repeats === "loop" ? Number(start.data.maxIterations ?? 5) : null,
      depth: 0,
    });
    const cap = (start.data.exitCondition ?? "max_iterations") === "max_iterations";
    const leading = document.edges.filter(
      (e) =>
        e.target === end &&
        kinds.get(document.nodes.find((n) => n.id === e.source)?.type ?? "")?.shape === "branching",
    );
    const decides = leading.length === 1 ? leading[0] : undefined;
    if (kind.repeats === "loop" && decides && cap)
      problems.push({
        code: "exit_ignored",
        severity: "warning",
        node: start.id,
        place: "exitCondition",
        message: "A branch leads to Exit, but the loop runs all its iterations.",
        fix: {
          title: `Stop when \`${decides.sourceHandle}\` is taken`,
          edits: [{ op: "set_data", node: start.id, field: "exitCondition", value: "evaluator" }],
        },
      });
    if (kind.repeats === "loop" && leading.length > 1 && start.data.exitCondition === "evaluator")
      problems.push({
        code: "evaluator_always_exits",
        severity: "error",
        node: start.id,
        place: "exitCondition",
        message: "Every path of its body reaches Exit in the first iteration.",
        fix: null,
      });
    if (!end && kind.repeats === "loop") {
      const label = String(start.data.label ?? start.id);
      const last = body.find((id) => !document.edges.some((e) => e.source === id)) ?? body[0];
      const at = document.nodes.find((n) => n.id === last)?.position ?? start.position;
      problems.push({
        code: "loop_without_exit",
        severity: "error",
        node: start.id,
        place: null,
        message: `Loop “${label}” has no Exit downstream. It would never return a result.`,
        fix: last
          ? {
              title: "Add Exit",
              edits: [
                {
                  op: "add_node",
                  node: {
                    id: `${start.id}_exit`,
                    type: "exit",
                    position: { x: at.x + 260, y: at.y },
                    data: { label: "Exit" },
                  },
                },
                {
                  op: "add_edge",
                  edge: {
                    id: `${start.id}_exit_in`,
                    source: last,
                    sourceHandle: null,
                    target: `${start.id}_exit`,
                    targetHandle: "input",
                  },
                },
              ],
            }
          : null,
      });
    }
  }
  for (const node of document.nodes) {
    const kind = kinds.get(node.type);
    if (!kind) {
      problems.push({
        code: "unknown_kind",
        severity: "error",
        node: node.id,
        place: "type",
        message: `No node kind is called “${node.type}”.`,
        fix: null,
      });
    }
    const branches = (node.data.branches as (string | { name: string })[] | undefined)?.map((b) =>
      typeof b === "string" ? b : b.name,
    );
    const held = node.data.flow as FlowDoc | undefined;
    nodes[node.id] = {
      inputs: held ? boundary(held, "input") : (kind?.inputs ?? []),
      outputs: held
        ? boundary(held, "output")
        : node.type === "router" && branches
          ? branches.map((name, i) => ({
              name,
              label: name,
              valueType: "any",
              primary: i === 0,
              many: false,
              always: false,
            }))
          : (kind?.outputs ?? []),
      role: "plain",
      region: regions.find((r) => r.body.includes(node.id))?.start ?? null,
      problems: problems.filter((p) => p.node === node.id).length,
      modelCalls: kind?.category === "ai",
    };
  }
  const perIteration = document.nodes.filter((n) => nodes[n.id]?.modelCalls && nodes[n.id]?.region).length;
  const maxCalls = document.nodes.reduce((sum, n) => {
    const analysed = nodes[n.id];
    if (!analysed?.modelCalls) return sum;
    return sum + (regions.find((r) => r.start === analysed.region)?.maxIterations ?? 1);
  }, 0);
  return {
    problems,
    nodes,
    regions,
    estimate: { maxCalls, perIteration, agentTurns: 0, usd: null, counts: "", note: "" },
    runnable: problems.every((p) => p.severity !== "error"),
  };
}
