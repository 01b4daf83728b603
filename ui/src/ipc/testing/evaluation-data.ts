// Cases, results and a report for the double. Each is computed from its index, so that 10,000 rows need no
// memory.
import type {
  Case,
  Cell,
  CellResult,
  Comparison,
  Curve,
  Evaluation,
  Interval,
  PolicyReport,
  Report,
} from "../evaluation";

/** Returns a deterministic pseudo-random number from 0 to 1. */
function chance(...numbers: number[]): number {
  let state = 2166136261;
  for (const n of numbers) state = Math.imul(state ^ (n + 0x9e3779b9), 16777619) >>> 0;
  state ^= state >>> 15;
  state = Math.imul(state, 0x85ebca6b) >>> 0;
  state ^= state >>> 13;
  return (state >>> 0) / 4294967296;
}

const TOPICS = [
  "Why bread rises, for a curious ten-year-old",
  "How a heat pump works below freezing",
  "What a hash table is, without code",
  "Why the sky is blue at noon and red at dusk",
  "How vaccines teach the body",
  "What inflation does to savings",
];

export const exampleEvaluation: Evaluation = {
  schemaVersion: 1,
  name: "Refine quality",
  flow: "self-refine.loop",
  data: { file: "topics.jsonl", id: "id", inputs: { brief: "topic" }, expected: "reference" },
  variants: [
    { name: "cap 3", set: { "refine.maxIterations": 3 } },
    { name: "cap 6", set: { "refine.maxIterations": 6 } },
    { name: "other critic", set: { "critique.prompt": "Would a child understand {{ input }}?" } },
  ],
  scorers: [
    { name: "judge", type: "llm", rubric: "Is it clear, correct and short?", scale: [0, 10] },
    { name: "not empty", type: "expression", expression: "result | length > 0" },
    { name: "reader", type: "human" },
  ],
  perIteration: "refine",
  primary: "judge",
  margin: 0.2,
  budget: { usd: 5 },
};

export const COLUMNS = ["id", "topic", "audience", "reference"];

export function caseAt(index: number, inputs: Record<string, string> = { brief: "topic" }): Case {
  const topic = `${TOPICS[index % TOPICS.length]} (${index + 1})`;
  const row = {
    id: `case-${index + 1}`,
    topic,
    audience: index % 2 === 0 ? "children" : "adults",
    reference: `A short and correct answer to “${topic}”.`,
  };
  return {
    id: row.id,
    line: index + 1,
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([input, column]) => [input, row[column as keyof typeof row] ?? null]),
    ),
    expected: row.reference,
    row,
  };
}

const variantsOf = (evaluation: Evaluation) =>
  evaluation.variants?.length ? evaluation.variants.map((v) => v.name) : ["flow"];

export function cellAt(evaluation: Evaluation, cell: Cell): CellResult {
  const { case: index, variant, repetition } = cell;
  const luck = chance(index, variant, repetition);
  const failed = chance(index, variant, repetition, 7) > 0.985;
  const count = 1 + Math.floor(luck * (variant === 0 ? 3 : 5));
  const runId = `eval-${index}-${variant}-${repetition}`;
  const rest = {
    cell,
    runId,
    iterationCount: count,
    spent: { microUsd: Math.round(900 + 1400 * count + luck * 300), tokens: 400 * count, calls: 2 * count },
    durationMs: Math.round(1200 + 2100 * count * (0.6 + luck)),
  };
  if (failed) return { ...rest, status: "failed", error: "The model gave no answer. Run this cell again." };
  return {
    ...rest,
    status: "completed",
    output: `${caseAt(index).inputs.brief}: in short, draft ${count} of variant ${variant + 1}. ${"It explains one idea with an example. ".repeat(2)}`,
    scores: evaluation.scorers.map((scorer, i) => {
      if (scorer.type === "human") return { reason: "Nobody has rated it." };
      if (scorer.type === "llm")
        return {
          value: Math.round((5.4 + variant * 0.5 + chance(index, 3) * 3 + luck) * 10) / 10,
          reason: "It is clear. The example could be shorter.",
        };
      return { value: chance(index, variant, i) > 0.08 ? 1 : 0, isBoolean: true };
    }),
    exitReason: count === 5 ? "max_iterations" : luck > 0.3 ? "evaluator_done" : "stable_output",
    exhausted: count === 5,
  };
}

const around = (mean: number, half: number): Interval => [mean - half, mean + half];

function curveOf(evaluation: Evaluation, variant: number, cases: number): Curve | null {
  if (!evaluation.perIteration) return null;
  const cap = variant === 0 ? 3 : 6;
  const gains = [5.9, 7.1, 7.75, 7.9, 7.93, 7.88];
  const points = gains.slice(0, cap).map((gain, i) => ({
    k: i + 1,
    n: cases,
    mean: gain + variant * 0.15,
    interval: around(gain + variant * 0.15, 0.35 - i * 0.02),
    meanCostUsd: 0.0012 + 0.0016 * i + variant * 0.0002,
    meanTokens: 700 * (i + 1),
    finished: 1 - 0.8 / (i + 1.2),
  }));
  const k = Math.min(3, cap);
  return {
    of: evaluation.perIteration,
    scorer: evaluation.primary ?? evaluation.scorers[0]?.name ?? "",
    points,
    knee: {
      k,
      best: Math.min(5, cap),
      difference: cap > 3 ? 0.18 : 0,
      interval: [0.05, 0.31],
      margin: evaluation.margin ?? 0,
      savedUsd: cap > 3 ? 0.0032 : 0,
    },
  };
}

export function reportOf(evaluation: Evaluation, id: string, cases: number): Report {
  const names = variantsOf(evaluation);
  const scorers = evaluation.scorers.map((s) => s.name);
  const comparisons: Comparison[] = names.slice(1).flatMap((variant, v) =>
    scorers.slice(0, 2).map((scorer, s) => ({
      variant,
      baseline: names[0] ?? "",
      scorer,
      pairs: cases - 3,
      difference: s === 0 ? 0.42 - v * 0.5 : 0.01,
      interval: s === 0 ? around(0.42 - v * 0.5, 0.22) : around(0.01, 0.03),
      wins: Math.round(cases * 0.5),
      ties: Math.round(cases * 0.3),
      losses: Math.round(cases * 0.2),
      worse: [`case-${4 + v}`, "case-17", "case-23", `case-${cases}`],
      costDifferenceUsd: 0.0021 - v * 0.001,
    })),
  );
  return {
    experiment: id,
    name: evaluation.name,
    flow: evaluation.flow,
    cases,
    repetitions: evaluation.repetitions ?? 1,
    scorers,
    lowerIsBetter: evaluation.scorers.map((s) => s.lowerIsBetter ?? false),
    primary: Math.max(0, scorers.indexOf(evaluation.primary ?? "")),
    margin: evaluation.margin ?? 0,
    baseline: 0,
    variants: names.map((name, v) => ({
      name,
      completed: cases - 2,
      failed: 2,
      notRun: 0,
      scorers: scorers.map((scorer, s) => ({
        scorer,
        n: s === 2 ? 0 : cases - 3,
        unscored: s === 2 ? cases : 3,
        mean: s === 2 ? null : s === 1 ? 0.92 : 7.4 + v * 0.4,
        interval: s === 2 ? null : s === 1 ? around(0.92, 0.02) : around(7.4 + v * 0.4, 0.2),
        median: s === 2 ? null : s === 1 ? 1 : 7.5,
        pass: s === 1 ? [{ k: 1, any: 0.92, all: 0.92 }] : [],
      })),
      costUsd: cases * 0.0041,
      meanCostUsd: 0.0041 + v * 0.001,
      tokens: 1200 * cases,
      latencyP50: 6100,
      latencyP95: 14_200,
      meanIterations: 2.4 + v * 0.5,
      exitReasons: { evaluator_done: Math.round(cases * 0.7), max_iterations: Math.round(cases * 0.3) },
      curve: curveOf(evaluation, v, cases),
    })),
    comparisons,
    assertions: (evaluation.assert ?? []).map(() => ({
      holds: true,
      message: "The mean of judge is 7.6, and at least 7.5 was asserted.",
    })),
    notes: ["2 runs failed and have no score."],
    stoppedEarly: null,
  };
}

export function policyReport(policy: string, index: number): PolicyReport {
  const cap = Number(/cap=(\d+)/.exec(policy)?.[1] ?? 4);
  const isKnown = /^(cap|min|patience|stable|plateau|score>|condition)=|evaluator/.test(policy);
  const score = 7.95 - 2.1 / (cap + 0.4) - (index % 3) * 0.05;
  return {
    policy,
    runs: 200,
    known: isKnown ? 188 - index : 0,
    censored: isKnown ? 12 + index : 0,
    meanScore: isKnown ? score : null,
    interval: isKnown ? around(score, 0.25) : null,
    meanCostUsd: isKnown ? 0.0009 + cap * 0.0011 + (index % 3) * 0.0004 : null,
    meanIterations: isKnown ? Math.min(cap, 3.4) : null,
    exits: isKnown ? { max_iterations: 60, evaluator_done: 128 } : {},
    onFront: isKnown && index % 3 === 0,
    error: isKnown ? null : `“${policy}” is no policy. Write for example cap=3 or stable=0.95,patience=2.`,
  };
}
