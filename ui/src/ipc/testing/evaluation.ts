// The double's evaluations: one file, the recorded experiment, and experiments that run on a timer.
import type { Backend } from "../client";
import type {
  Cell,
  CellsToRun,
  Evaluation,
  ExperimentProgress,
  ExperimentRow,
  ExperimentSummary,
} from "../evaluation";
import * as recorded from "../generated/recorded/evaluation";
import { CASES, caseAt, cellAt, exampleEvaluation } from "./evaluation-data";
import { failure } from "./failures";
import { answerTo } from "./recorded";

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
  /**
   * Calls `tick` repeatedly; each call reports progress. Returns a function that stops the calls. The default
   * is a timer.
   */
  every?: (tick: () => void) => () => void;
  /** The number of cells completed per tick. */
  perTick?: number;
}

interface StoredExperiment {
  summary: ExperimentSummary;
  evaluation: Evaluation;
  /** The number of completed cells. Cells are completed case by case. */
  done: number;
  /** Stops the progress of the experiment. */
  end: () => void;
  rated: number;
}

const variantCount = (evaluation: Evaluation) => Math.max(1, evaluation.variants?.length ?? 0);
const perCase = (evaluation: Evaluation) => variantCount(evaluation) * (evaluation.repetitions ?? 1);

const FILE = "/flows/self-refine.eval.json";

function byTimer(tick: () => void): () => void {
  const timer = setInterval(tick, 120);
  return () => clearInterval(timer);
}

export function testEvaluation(options: EvaluationDouble = {}): EvaluationCommands {
  const { cases = CASES, every = byTimer, perTick = 40 } = options;
  const files = new Map([[FILE, { evaluation: structuredClone(exampleEvaluation), version: 1 }]]);
  const kept = new Map<string, StoredExperiment>();
  let count = 0;
  const { summary: ended, report } = recorded.experiment;
  /** Returns the total cost of `runs` runs of the recorded experiment, as the page computes it. */
  const costOf = (runs: number) => (runs * ended.costUsd) / ended.done;
  const check = (evaluation: Evaluation) =>
    answerTo("checkEvaluation", [FILE, evaluation], recorded.opened.problems);
  const find = (id: string): StoredExperiment => {
    const found = kept.get(id);
    if (!found) throw failure("noExperiment", id);
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
        ...ended,
        id,
        name: evaluation.name,
        path,
        flow: evaluation.flow,
        startedAt,
        total,
        done: Math.min(done, total),
        costUsd: costOf(Math.min(done, total)),
      },
      evaluation: structuredClone(evaluation),
      done: Math.min(done, total),
      end: () => {},
      rated: 0,
    };
    kept.set(id, one);
    return one;
  };
  create(FILE, exampleEvaluation, ended.startedAt, Number.MAX_SAFE_INTEGER);

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
      summary.costUsd = costOf(one.done);
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
    one.end = every(() => {
      const first = one.done;
      one.done = Math.min(summary.total, one.done + perTick);
      if (one.done === summary.total) {
        summary.status = "completed";
        one.end();
      }
      tell(first);
    });
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
      if (!file) throw failure("noEvaluation", path);
      return opened(path, file.evaluation, String(file.version), `/flows/${file.evaluation.flow}`);
    },
    newEvaluation: async (flowPath, document, dataPath) =>
      answerTo("newEvaluation", [flowPath, document, dataPath], recorded.opened),
    saveEvaluation: async (path, evaluation, expected) => {
      const file = files.get(path);
      // If no version is expected, the file must not exist yet.
      if (file && String(file.version) !== expected) throw failure("evaluationChanged", path);
      const version = (file?.version ?? 0) + 1;
      files.set(path, { evaluation: structuredClone(evaluation), version });
      return { path, version: String(version) };
    },
    checkEvaluation: async (_path, evaluation) => check(evaluation),
    readCases: async (_path, evaluation) => {
      const read = answerTo("readCases", [FILE, evaluation], recorded.cases);
      if (cases === CASES) return read;
      return {
        ...read,
        total: cases,
        cases: Array.from({ length: Math.min(200, cases) }, (_, i) => caseAt(i)),
      };
    },
    estimateEvaluation: async (_path, evaluation) => answerTo("estimateEvaluation", [FILE, evaluation]),
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
      one.end();
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
        report: { ...report, experiment: id },
        rejected: recorded.experiment.rejected,
      };
    },
    experimentRows: async (id, offset, limit): Promise<ExperimentRow[]> => {
      const { evaluation, done } = find(id);
      const width = perCase(evaluation);
      return Array.from({ length: Math.max(0, Math.min(limit, cases - offset)) }, (_, i) => ({
        case: caseAt(offset + i),
        cells: Array.from({ length: width }, (_, c) => {
          const n = (offset + i) * width + c;
          return n < done ? cellAt(evaluation, cellNumber(evaluation, n)) : null;
        }),
      }));
    },
    deleteExperiment: async (id) => kept.delete(id),
    backtest: async (_id, policies) => answerTo("backtest", [ended.id, policies]),
    exportExperiment: async () => null,
    rateResult: async (id) => {
      find(id).rated += 1;
    },
    ratings: async (id) => recorded.agreements[find(id).rated] ?? [],
    blindItem: async (id) => recorded.blindItems[find(id).rated] ?? null,
    keepTest: async () => null,
    pickData: async () => "/flows/topics.jsonl",
    pickEvaluation: async () => FILE,
    pickExport: async (name) => `/flows/${name}`,
  };
}
