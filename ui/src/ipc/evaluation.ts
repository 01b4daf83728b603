// The types of evaluations, and the calls to Rust for them.
import type { CellChoice, EvaluationEstimate, ExperimentBudget, PolicyResult } from "./generated/bindings";

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
