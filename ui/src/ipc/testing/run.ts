// A scripted run for the double. It walks the document in order, with three iterations of each loop, and
// streams a text for each model node. It reproduces the timing and shape of the events, not real results.
import type {
  FlowDoc,
  FlowNode,
  Json,
  RunDetail,
  RunEvent,
  RunStatus,
  RunSummary,
  StepAnswer,
  StepDetail,
  Usage,
} from "../generated/bindings";
import { testAnalysis } from "./analysis";

export interface SimulatedRun {
  id: string;
  events: RunEvent[];
  stop(): void;
  summary(): RunSummary;
  detail(): RunDetail;
  step(path: string): StepDetail;
  /** The answers sent to its steps, in order. */
  readonly answers: { readonly path: string; readonly answer: StepAnswer }[];
  relabel(change: Partial<Pick<RunSummary, "name" | "starred">>): void;
}

const drafts = [
  "Bread rises because yeast eats the sugars in flour and lets out a gas. The gas makes bubbles. The dough is stretchy, so the bubbles get trapped and everything puffs up.",
  "Bread rises because yeast feeds on the sugars in flour and breathes out a gas. Kneading makes the dough stretchy, so the bubbles get trapped and everything puffs up.",
  "Bread rises because yeast feeds on the sugars in flour and breathes out carbon dioxide. Kneading links the proteins in dough into a stretchy net called gluten, so each bubble is trapped and the whole loaf puffs up.",
];

const nothing: Usage = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null };
const add = (a: Usage, b: Usage): Usage => ({
  calls: a.calls + b.calls,
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cost_usd: null,
});

// A distributive `Omit`: it applies to each member of the union, unlike the built-in type.
type Body<E> = E extends RunEvent ? Omit<E, "run_id" | "seq" | "at"> : never;

let counter = 0;

export function simulateRun(
  document: FlowDoc,
  flowPath: string | null,
  inputs: Record<string, Json>,
  onEvent: (event: RunEvent) => void,
  stepMs: number,
): SimulatedRun {
  const id = `run-${++counter}`;
  const startedAt = new Date();
  const events: RunEvent[] = [];
  const steps = new Map<string, StepDetail>();
  let status: RunStatus = "running";
  let stopped = false;
  let label: Pick<RunSummary, "name" | "starred"> = { name: null, starred: false };
  let total = nothing;
  const seconds = () => Date.now() - startedAt.getTime();
  const emit = (body: Body<RunEvent>) => {
    const event = { run_id: id, seq: events.length, at: new Date().toISOString(), ...body } as RunEvent;
    events.push(event);
    onEvent(event);
  };
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const { regions } = testAnalysis(document);
  const order = [...document.nodes].sort(
    (a, b) => a.position.y - b.position.y || a.position.x - b.position.x,
  );

  async function runNode(node: FlowNode, path: string, pass: number): Promise<string> {
    const begun = Date.now();
    emit({
      type: "workflow.node.started",
      node_id: node.id,
      path,
      max_iterations: null,
      input_preview: null,
    });
    let text = String(node.data.default ?? drafts[Math.min(pass, drafts.length) - 1] ?? "");
    let usage = nothing;
    if (node.type === "llm") {
      for (const word of text.split(/(?<= )/)) {
        if (stopped) return text;
        emit({ type: "workflow.node.streaming", node_id: node.id, path, tokens: word });
        await pause(stepMs / 2);
      }
      usage = { calls: 1, input_tokens: 120, output_tokens: 60, cost_usd: null };
    } else if (node.data.flow) {
      for (const inner of (node.data.flow as FlowDoc).nodes) {
        if (!stopped) text = await runNode(inner, `${path}/${inner.id}`, pass);
      }
    } else {
      await pause(stepMs * 2);
    }
    if (node.type === "router") {
      usage = { calls: 1, input_tokens: 90, output_tokens: 12, cost_usd: null };
      text = pass < 3 ? "continue" : "done";
    }
    total = add(total, usage);
    emit({
      type: "workflow.node.completed",
      node_id: node.id,
      path,
      duration_ms: Date.now() - begun,
      usage,
      preview: text,
      branch: node.type === "router" ? text : null,
      reason: node.type === "router" ? "Seen." : null,
      checked: null,
      iterations_run: null,
      exit_reason: null,
      exhausted: null,
      model: usage.calls > 0 ? "drafter" : null,
      pinned: false,
    });
    steps.set(path, {
      path,
      node_id: node.id,
      status: "completed",
      reason: null,
      question: null,
      inputs: { prompt: "A question" },
      output: text,
      handles: { output: text },
      prompt: usage.calls > 0 ? "Improve this text." : null,
      raw: null,
      usage,
      durationMs: Date.now() - begun,
      model: usage.calls > 0 ? "drafter" : null,
      pinned: false,
      checked: null,
      error: null,
      request: null,
    });
    return text;
  }

  async function play() {
    await pause(0);
    emit({ type: "workflow.started", node_id: null, path: "", name: document.name ?? "", inputs });
    const inRegion = new Set(regions.flatMap((r) => r.body));
    for (const node of order) {
      if (stopped || inRegion.has(node.id) || node.type === "note") continue;
      const region = regions.find((r) => r.start === node.id);
      if (!region) {
        await runNode(node, node.id, 1);
        continue;
      }
      const most = region.maxIterations ?? 3;
      const passes = Math.min(3, most);
      const begun = Date.now();
      emit({
        type: "workflow.node.started",
        node_id: node.id,
        path: node.id,
        max_iterations: most,
        input_preview: null,
      });
      for (let pass = 1; pass <= passes && !stopped; pass++) {
        const at = Date.now();
        emit({
          type: "workflow.node.iteration",
          node_id: node.id,
          path: node.id,
          index: pass - 1,
          total: most,
          input_preview: "",
        });
        let result = "";
        for (const inner of order.filter((n) => region.body.includes(n.id))) {
          if (stopped) break;
          const path = `${node.id}[${pass}]/${inner.id}`;
          if (inner.type === "transform" && pass === passes) {
            emit({
              type: "workflow.node.skipped",
              node_id: inner.id,
              path,
              reason: "not run: last iteration",
              cause: "last_iteration",
            });
          } else {
            const value = await runNode(inner, path, pass);
            if (inner.type === "llm") result = value;
          }
        }
        if (stopped) break;
        emit({
          type: "workflow.loop.condition",
          node_id: node.id,
          path: node.id,
          index: pass - 1,
          result: pass === passes,
        });
        emit({
          type: "workflow.loop.iteration_completed",
          node_id: node.id,
          path: node.id,
          index: pass - 1,
          similarity: pass === 1 ? null : 0.6 + pass * 0.09,
          condition_result: pass === passes,
          score: null,
          duration_ms: Date.now() - at,
          usage: { calls: 2, input_tokens: 210, output_tokens: 72, cost_usd: null },
          result_preview: result,
          reached_exit: true,
          status: "completed",
        });
      }
      if (stopped) break;
      emit({
        type: "workflow.node.completed",
        node_id: node.id,
        path: node.id,
        duration_ms: Date.now() - begun,
        usage: total,
        preview: "",
        branch: null,
        reason: null,
        checked: null,
        iterations_run: passes,
        exit_reason: "evaluator_done",
        exhausted: false,
        model: null,
        pinned: false,
      });
    }
    if (stopped) {
      status = "cancelled";
      emit({
        type: "workflow.failed",
        node_id: null,
        path: "",
        status: "cancelled",
        code: "cancelled",
        message: "Stopped.",
        duration_ms: seconds(),
        usage: total,
        warnings: [],
      });
    } else {
      status = "completed";
      emit({
        type: "workflow.completed",
        node_id: null,
        path: "",
        outputs: { article: drafts[2] },
        duration_ms: seconds(),
        usage: total,
        warnings: [],
      });
    }
  }
  void play();

  const summary = (): RunSummary => ({
    runId: id,
    flow: document.name ?? "Untitled",
    flowPath,
    status,
    startedAt: startedAt.toISOString(),
    durationMs: status === "running" ? null : seconds(),
    usage: total,
    warnings: [],
    iterations: events.filter((e) => e.type === "workflow.loop.iteration_completed").length || null,
    exitReason: status === "completed" ? "evaluator_done" : null,
    forkedFrom: null,
    ...label,
  });
  return {
    id,
    events,
    answers: [],
    stop: () => {
      stopped = true;
    },
    relabel: (change) => {
      label = { ...label, ...change };
    },
    summary,
    detail: () => ({
      summary: summary(),
      document,
      inputs,
      outputs: { article: drafts[2] },
      error: null,
      pins: {},
      until: null,
      origin: null,
      budget: null,
      overBudget: false,
    }),
    step: (path) => {
      const found = steps.get(path);
      if (!found) throw new Error(`No step at ${path}.`);
      return found;
    },
  };
}
