//! Evaluations and experiments, in the form that the window and the command line receive.

use loopwright_evaluation::{
    file::Evaluation,
    result::{Case, CellResult, RejectedRow, Report},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

/// A problem in an evaluation file, with the field that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationProblem {
    /// The field, such as `scorers[1].rubric`.
    pub place: String,
    /// The problem and its remedy.
    pub message: String,
}

/// An evaluation file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OpenedEvaluation {
    pub path: String,
    /// The version of the file's content. It is empty if the file has not been written yet.
    pub version: String,
    pub evaluation: Evaluation,
    pub problems: Vec<EvaluationProblem>,
    /// The flow's file; null for a bundled template.
    pub flow_path: Option<String>,
}

/// An evaluation file in a flow's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationFileInfo {
    pub path: String,
    pub name: String,
    pub flow: String,
}

/// An evaluation file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SavedEvaluation {
    pub path: String,
    pub version: String,
}

/// The first cases of a data set, for a preview.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CasesPreview {
    pub columns: Vec<String>,
    pub total: u32,
    /// The first 200 cases.
    pub cases: Vec<Case>,
    pub rejected: Vec<RejectedRow>,
    pub notes: Vec<String>,
}

/// An estimate for an experiment that has not started: the number of its runs, and their maximum cost and number of calls.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationEstimate {
    pub runs: u32,
    /// The maximum cost in dollars; null if it is not known.
    #[specta(type = Option<specta_typescript::Number>)]
    pub max_usd: Option<f64>,
    pub max_calls: Option<u32>,
    /// The estimate as a sentence.
    pub words: String,
}

/// The state of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentStatus {
    Running,
    Completed,
    /// The experiment was stopped by a person, or because its result was certain before all cells had run.
    Stopped,
    OverBudget,
    /// The program exited before the experiment was finished. The experiment can be resumed.
    Interrupted,
    Failed,
}

/// An experiment in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentSummary {
    pub id: String,
    pub name: String,
    pub path: Option<String>,
    pub flow: String,
    pub started_at: String,
    pub status: ExperimentStatus,
    /// The number of cells. Each cell is one run.
    pub total: u32,
    pub done: u32,
    pub failed: u32,
    /// The cost of runs and judges, in dollars.
    #[specta(type = specta_typescript::Number)]
    pub cost_usd: f64,
    pub error: Option<String>,
}

/// An experiment with its report.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentView {
    pub summary: ExperimentSummary,
    pub evaluation: Evaluation,
    pub case_count: u32,
    pub report: Report,
    pub rejected: Vec<RejectedRow>,
}

/// A case with its results.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentRow {
    pub case: Case,
    /// The results of the case, each at the index `variant * repetitions + repetition`. Their iterations are left out.
    pub cells: Vec<Option<CellResult>>,
}

/// The progress of a running experiment: the number of finished cells, their cost, and the speed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentProgress {
    pub id: String,
    pub done: u32,
    pub total: u32,
    pub failed: u32,
    #[specta(type = specta_typescript::Number)]
    pub cost_usd: f64,
    #[specta(type = specta_typescript::Number)]
    pub per_second: f64,
    #[specta(type = Option<specta_typescript::Number>)]
    pub seconds_left: Option<f64>,
    /// The results since the previous progress event. Their iterations are left out.
    pub finished: Vec<CellResult>,
    pub status: ExperimentStatus,
    /// The number of cells whose run has ended and that are being scored.
    pub scoring: u32,
}

/// The results that an exit policy would have had on recorded runs.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    pub policy: String,
    pub runs: u32,
    /// The number of runs for which it is known where the policy would have ended them.
    pub known: u32,
    /// The number of runs that ended before the policy would have ended them.
    pub censored: u32,
    #[specta(type = Option<specta_typescript::Number>)]
    pub mean_score: Option<f64>,
    #[specta(type = Option<[specta_typescript::Number; 2]>)]
    pub interval: Option<[f64; 2]>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub mean_cost_usd: Option<f64>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub mean_iterations: Option<f64>,
    pub exits: std::collections::BTreeMap<String, u32>,
    /// Whether the policy is on the Pareto front: no other policy is better in its score or its cost without being worse in the
    /// other.
    pub on_front: bool,
    /// The reason why the policy's result cannot be computed; null if it can.
    pub error: Option<String>,
}

/// A result for a person to rate. Its origin is not shown.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BlindItem {
    pub cell: loopwright_evaluation::result::Cell,
    /// The iteration, from 0; null for the run's output.
    pub iteration: Option<u32>,
    #[specta(type = Any)]
    pub result: Value,
    #[specta(type = std::collections::BTreeMap<String, Any>)]
    pub inputs: Map<String, Value>,
    /// The number of results without a rating, including this one.
    pub left: u32,
}

/// The agreement between a judge and a person.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Agreement {
    /// The name of the scorer that asks people.
    pub scorer: String,
    /// The scorer that is compared with the human scorer. Null if no other scorer rated the same results.
    pub judge: Option<String>,
    /// The number of results that both scorers rated.
    pub n: u32,
    #[specta(type = Option<specta_typescript::Number>)]
    pub kappa: Option<f64>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub alpha: Option<f64>,
}
