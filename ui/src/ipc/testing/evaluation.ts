// The double's evaluations: one file, one finished experiment, and experiments that run on a timer.
import { ApiFailure, type Backend } from "../client";
import type {
  Agreement,
  Cell,
  CellsToRun,
  Evaluation,
  EvaluationProblem,
  ExperimentProgress,
  ExperimentRow,
  ExperimentSummary,
} from "../evaluation";
import { COLUMNS, caseAt, cellAt, exampleEvaluation, policyReport, reportOf } from "./evaluation-data";

type EvaluationCommands = Pick<
  Backend,
  | "evaluationsBeside"
  | "openEvaluation"
  | "newEvaluation"
  | "saveEvaluation"
  | "checkEvaluation"
  | "readCases"
  | "estimateEvaluation"
  | "startExperiment"
  | "rerunCells"
  | "stopExperiment"
  | "experiments"
  | "experiment"
  | "experimentRows"
  | "deleteExperiment"
  | "backtest"
  | "exportExperiment"
  | "rateResult"
  | "ratings"
  | "blindItem"
  | "keepTest"
  | "pickData"
  | "pickEvaluation"
  | "pickExport"
>;

export interface EvaluationDouble {
  /** The number of rows in the data set. */
  cases?: number;
  /** The interval between progress reports, in milliseconds. */
  tickMs?: number;
  /** The number of cells completed per tick. */
  perTick?: number;
}

interface StoredExperiment {
  summary: ExperimentSummary;
  evaluation: Evaluation;
  /** The number of completed cells, case by case. */
  done: number;
  timer: ReturnType<typeof setInterval> | null;
  rated: number;
}

const variantCount = (evaluation: Evaluation) => Math.max(1, evaluation.variants?.length ?? 0);
const perCase = (evaluation: Evaluation) => variantCount(evaluation) * (evaluation.repetitions ?? 1);

function check(evaluation: Evaluation): EvaluationProblem[] {
  const problems: EvaluationProblem[] = [];
  const say = (place: string, message: string) => problems.push({ place, message });
  for (const [input, column] of Object.entries(evaluation.data.inputs ?? {}))
    if (!COLUMNS.includes(column))
      say(`data.inputs.${input}`, `The data has no column “${column}”. Choose one of ${COLUMNS.join(", ")}.`);
  if (evaluation.scorers.length === 0) say("scorers", "No scorer is set. Add one.");
  evaluation.scorers.forEach((scorer, i) => {
    if (scorer.name === "") say(`scorers[${i}].name`, "This scorer has no name. Enter one.");
    if (scorer.type === "llm" && scorer.rubric === "")
      say(`scorers[${i}].rubric`, "The rubric is empty. Say what a good result is.");
  });
  return problems;
}

export function testEvaluation(options: EvaluationDouble = {}): EvaluationCommands {
  const { cases = 10_000, tickMs = 120, perTick = 40 } = options;
  const files = new Map([
    ["/flows/self-refine.eval.json", { evaluation: structuredClone(exampleEvaluation), version: 1 }],
  ]);
  const kept = new Map<string, StoredExperiment>();
  let count = 0;
  const missing = (what: string) => new ApiFailure({ code: "not_found", message: `${what} is not there.` });
  const find = (id: string): StoredExperiment => {
    const found = kept.get(id);
    if (!found) throw missing(`The experiment ${id}`);
    return found;
  };
  const create = (
    path: string | null,
    evaluation: Evaluation,
    startedAt: string,
    done: number,
  ): StoredExperiment => {
    const id = `experiment-${++count}`;
    const total = cases * perCase(evaluation);
    const one: StoredExperiment = {
      summary: {
        id,
        name: evaluation.name,
        path,
        flow: evaluation.flow,
        startedAt,
        status: "completed",
        total,
        done: Math.min(done, total),
        failed: 2,
        costUsd: Math.min(done, total) * 0.0041,
        error: null,
      },
      evaluation: structuredClone(evaluation),
      done: Math.min(done, total),
      timer: null,
      rated: 0,
    };
    kept.set(id, one);
    return one;
  };
  create("/flows/self-refine.eval.json", exampleEvaluation, "2026-01-05T10:00:00.000Z", 1e9);

  const cellNumber = (evaluation: Evaluation, n: number): Cell => {
    const repetitions = evaluation.repetitions ?? 1;
    const within = n % perCase(evaluation);
    return {
      case: Math.floor(n / perCase(evaluation)),
      variant: Math.floor(within / repetitions),
      repetition: within % repetitions,
    };
  };
  const go = (one: StoredExperiment, onProgress: (progress: ExperimentProgress) => void) => {
    const { summary, evaluation } = one;
    summary.status = "running";
    const began = Date.now();
    const from = one.done;
    const tell = (first: number) => {
      const perSecond = ((one.done - from) / Math.max(1, Date.now() - began)) * 1000;
      summary.done = one.done;
      summary.costUsd = one.done * 0.0041;
      onProgress({
        id: summary.id,
        done: one.done,
        total: summary.total,
        failed: summary.failed,
        costUsd: summary.costUsd,
        perSecond,
        secondsLeft: perSecond > 0 ? (summary.total - one.done) / perSecond : null,
        finished: Array.from({ length: one.done - first }, (_, i) =>
          cellAt(evaluation, cellNumber(evaluation, first + i)),
        ),
        status: summary.status,
        scoring: summary.status === "running" ? 3 : 0,
      });
    };
    queueMicrotask(() => tell(one.done));
    one.timer = setInterval(() => {
      const first = one.done;
      one.done = Math.min(summary.total, one.done + perTick);
      if (one.done === summary.total) {
        summary.status = "completed";
        if (one.timer) clearInterval(one.timer);
      }
      tell(first);
    }, tickMs);
  };
  const opened = (path: string, evaluation: Evaluation, version: string, flowPath: string | null) => ({
    path,
    version,
    evaluation: structuredClone(evaluation),
    problems: check(evaluation),
    flowPath,
  });

  return {
    evaluationsBeside: async () =>
      [...files].map(([path, { evaluation }]) => ({ path, name: evaluation.name, flow: evaluation.flow })),
    openEvaluation: async (path) => {
      const file = files.get(path);
      if (!file) throw missing(`The file ${path}`);
      return opened(path, file.evaluation, String(file.version), `/flows/${file.evaluation.flow}`);
    },
    newEvaluation: async (flowPath, document, dataPath) => {
      const name = flowPath.split("/").at(-1) ?? flowPath;
      const input = document.nodes.find((node) => node.type === "input")?.data.name;
      const evaluation: Evaluation = {
        schemaVersion: 1,
        name: `${document.name ?? name} quality`,
        flow: name,
        data: {
          file: dataPath.split("/").at(-1) ?? dataPath,
          inputs: typeof input === "string" ? { [input]: "topic" } : {},
        },
        scorers: [{ name: "not empty", type: "expression", expression: "result | length > 0" }],
      };
      const path = flowPath.replace(/(\.flow)?\.(json|loop)$/, "-new.eval.json");
      return opened(path, evaluation, "", flowPath);
    },
    saveEvaluation: async (path, evaluation, expected) => {
      const file = files.get(path);
      // If no version is expected, the file must not exist yet.
      if (file && String(file.version) !== expected)
        throw new ApiFailure({ code: "changed_on_disk", message: `${path} was changed by another program.` });
      const version = (file?.version ?? 0) + 1;
      files.set(path, { evaluation: structuredClone(evaluation), version });
      return { path, version: String(version) };
    },
    checkEvaluation: async (_path, evaluation) => check(evaluation),
    readCases: async (_path, evaluation) => ({
      columns: COLUMNS,
      total: cases,
      cases: Array.from({ length: Math.min(200, cases) }, (_, i) => caseAt(i, evaluation.data.inputs)),
      rejected: [{ line: cases + 1, column: "topic", message: "The column “topic” is empty. Fill it in." }],
      notes: [],
    }),
    estimateEvaluation: async (_path, evaluation) => {
      const runs = cases * perCase(evaluation);
      return {
        runs,
        maxUsd: runs * 0.01,
        maxCalls: runs * 12,
        words: `${runs.toLocaleString("en-US")} runs can cost up to $${(runs * 0.01).toFixed(2)}. The budget of the evaluation stops them at $5.00.`,
      };
    },
    startExperiment: async (path, evaluation, onProgress) => {
      const one = create(path, evaluation, new Date().toISOString(), 0);
      go(one, onProgress);
      return one.summary.id;
    },
    rerunCells: async (id, cells: CellsToRun, onProgress) => {
      const one = find(id);
      if (cells === "all") one.done = 0;
      go(one, onProgress);
    },
    stopExperiment: async (id) => {
      const one = find(id);
      if (one.timer) clearInterval(one.timer);
      one.summary.status = "stopped";
    },
    experiments: async (path) =>
      [...kept.values()]
        .map((one) => structuredClone(one.summary))
        .filter((summary) => path === null || summary.path === path)
        .reverse(),
    experiment: async (id) => {
      const { summary, evaluation } = find(id);
      return {
        summary: structuredClone(summary),
        evaluation: structuredClone(evaluation),
        caseCount: cases,
        report: reportOf(evaluation, id, cases),
        rejected: [],
      };
    },
    experimentRows: async (id, offset, limit): Promise<ExperimentRow[]> => {
      const { evaluation, done } = find(id);
      const width = perCase(evaluation);
      return Array.from({ length: Math.max(0, Math.min(limit, cases - offset)) }, (_, i) => ({
        case: caseAt(offset + i, evaluation.data.inputs),
        cells: Array.from({ length: width }, (_, c) => {
          const n = (offset + i) * width + c;
          return n < done ? cellAt(evaluation, cellNumber(evaluation, n)) : null;
        }),
      }));
    },
    deleteExperiment: async (id) => kept.delete(id),
    backtest: async (_id, policies) => policies.map(policyReport),
    exportExperiment: async () => null,
    rateResult: async (id) => {
      find(id).rated += 1;
    },
    ratings: async (id): Promise<Agreement[]> => {
      const n = find(id).rated;
      return n === 0
        ? []
        : [{ scorer: "reader", judge: "judge", n, kappa: n > 1 ? 0.61 : null, alpha: n > 1 ? 0.68 : null }];
    },
    blindItem: async (id) => {
      const { rated, evaluation } = find(id);
      if (rated >= 12) return null;
      const cell = { case: (rated * 7) % cases, variant: rated % variantCount(evaluation), repetition: 0 };
      const shown = caseAt(cell.case);
      const result = cellAt(evaluation, cell).output ?? "";
      return { cell, iteration: 2, result, inputs: shown.inputs, left: 12 - rated };
    },
    keepTest: async () => null,
    pickData: async () => "/flows/topics.jsonl",
    pickEvaluation: async () => "/flows/self-refine.eval.json",
    pickExport: async (name) => `/flows/${name}`,
  };
}
