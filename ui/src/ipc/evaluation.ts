// The types and calls of evaluations.
import type {
  Agreement,
  BlindItem,
  CasesPreview,
  Cell,
  CellChoice,
  Evaluation,
  EvaluationEstimate,
  EvaluationFileInfo,
  EvaluationProblem,
  ExperimentBudget,
  ExperimentProgress,
  ExperimentRow,
  ExperimentSummary,
  ExperimentView,
  FlowDoc,
  OpenedEvaluation,
  PolicyResult,
} from "./generated/bindings";

export type {
  Agreement,
  Assertion,
  AssertionResult,
  BlindItem,
  Case,
  CasesPreview,
  Cell,
  CellResult,
  CellStatus,
  Comparison,
  Curve,
  CurvePoint,
  DataSource,
  Evaluation,
  EvaluationFileInfo,
  EvaluationProblem,
  ExperimentProgress,
  ExperimentRow,
  ExperimentStatus,
  ExperimentSummary,
  ExperimentView,
  IterationResult,
  Knee,
  OpenedEvaluation,
  PassAt,
  RejectedRow,
  Report,
  Score,
  Scorer,
  ScorerReport,
  Scoring,
  Sequential,
  Spent,
  Variant,
  VariantReport,
} from "./generated/bindings";
export type Budget = ExperimentBudget;
export type PolicyReport = PolicyResult;
export type RunEstimate = EvaluationEstimate;
export type CellsToRun = CellChoice;
export type Interval = [number, number];

export interface EvaluationBackend {
  evaluationsBeside(flowPath: string): Promise<EvaluationFileInfo[]>;
  openEvaluation(path: string): Promise<OpenedEvaluation>;
  /** Suggests a file, a mapping of columns and a scorer. Nothing is saved. */
  newEvaluation(flowPath: string, document: FlowDoc, dataPath: string): Promise<OpenedEvaluation>;
  saveEvaluation(
    path: string,
    evaluation: Evaluation,
    expectedVersion: string | null,
  ): Promise<{ path: string; version: string }>;
  checkEvaluation(path: string, evaluation: Evaluation): Promise<EvaluationProblem[]>;
  readCases(path: string, evaluation: Evaluation): Promise<CasesPreview>;
  /** The most that an experiment can cost. */
  estimateEvaluation(path: string, evaluation: Evaluation): Promise<RunEstimate>;
  /** Resolves with the experiment's id once it is accepted; progress may arrive before that. */
  startExperiment(
    path: string,
    evaluation: Evaluation,
    onProgress: (progress: ExperimentProgress) => void,
  ): Promise<string>;
  /** Runs cells again. With `empty` it resumes an interrupted experiment. */
  rerunCells(
    id: string,
    cells: CellsToRun,
    onProgress: (progress: ExperimentProgress) => void,
  ): Promise<unknown>;
  stopExperiment(id: string): Promise<unknown>;
  /** Newest first; `path`: of one evaluation file. */
  experiments(path: string | null): Promise<ExperimentSummary[]>;
  experiment(id: string): Promise<ExperimentView>;
  experimentRows(id: string, offset: number, limit: number): Promise<ExperimentRow[]>;
  deleteExperiment(id: string): Promise<unknown>;
  /** What each policy would have given on the runs of an experiment. Makes no call of a model. */
  backtest(id: string, policies: string[]): Promise<PolicyReport[]>;
  /** The ending of `path` chooses the format: .html, .csv, .jsonl, .json (Inspect log) or .xml (JUnit). */
  exportExperiment(id: string, path: string): Promise<unknown>;
  rateResult(
    id: string,
    cell: Cell,
    iteration: number | null,
    rating: number,
    scorer: string,
  ): Promise<unknown>;
  ratings(id: string): Promise<Agreement[]>;
  /** The next result to rate, without its variant; null when all are rated. */
  blindItem(id: string, scorer: string): Promise<BlindItem | null>;
  /** Writes a test that the run passes. */
  keepTest(runId: string, path: string): Promise<unknown>;
  pickData(): Promise<string | null>;
  pickEvaluation(): Promise<string | null>;
  pickExport(suggestedName: string): Promise<string | null>;
}
