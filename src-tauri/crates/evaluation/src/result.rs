//! The stored results of an experiment's runs, and the report on them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::statistics::Direction;
pub use crate::statistics::Interval;

/// One row of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// The same for the same case wherever it stands in the data set.
    pub id: String,
    /// The line of the file on which it begins, from 1; in a JSON array or a YAML list, the number of the item.
    pub line: u32,
    /// By name of the flow's input.
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub inputs: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
    pub expected: Option<Value>,
    /// Every column, which scorers see as `case`.
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub row: Map<String, Value>,
}

impl Case {
    /// Returns the alternative answers of a case, of which one suffices: the lists in the `target` of an Inspect sample and in
    /// the `ideal` of OpenAI evals.
    pub fn alternatives(&self) -> Option<&[Value]> {
        let Some(Value::Array(all)) = &self.expected else {
            return None;
        };
        let is_text = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
        let names_them = ["target", "ideal"]
            .iter()
            .any(|name| self.row.get(*name) == self.expected.as_ref());
        let is_sample = names_them && self.row.contains_key("input");
        (is_sample && !all.is_empty() && all.iter().all(is_text)).then_some(all)
    }
}

/// A row that does not fit. It does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RejectedRow {
    /// From 1.
    pub line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

/// A case with a variant, once: one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// Index in the data set.
    pub case: u32,
    /// Index among the variants.
    pub variant: u32,
    /// From 0.
    pub repetition: u32,
}

/// How far a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum CellStatus {
    /// Its run has begun, and has no end yet.
    Running,
    /// Its run completed. Its scores are there, or say why they are not.
    Completed,
    /// Its run failed. It has no scores, and is never counted as zero.
    Failed,
    /// The budget of the experiment had no room for it.
    OverBudget,
    /// The experiment was stopped before it.
    Cancelled,
}

/// What one run gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CellResult {
    pub cell: Cell,
    pub run_id: String,
    pub status: CellStatus,
    /// The flow's only output, or all of them by name.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Any))]
    pub output: Value,
    /// One for each scorer of the evaluation, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Score>,
    /// Of the loop of `perIteration`, else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<IterationResult>,
    /// Of the run's first loop, or that of `perIteration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_count: Option<u32>,
    /// Why it ended, by the engine's name, such as `evaluator_done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// The loop ended at a limit with its exit condition unmet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exhausted: bool,
    #[serde(default)]
    pub spent: Spent,
    /// Milliseconds.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What calls of models used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Whole millionths of a dollar.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub micro_usd: u64,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub tokens: u64,
    #[serde(default)]
    pub calls: u32,
}

/// What a scorer said of one result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// `None`: unscored, which never counts as zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub value: Option<f64>,
    /// It was true or false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_boolean: bool,
    /// A judge's reason, or why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What one iteration of a loop gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct IterationResult {
    /// One for each scorer, of the result that the loop would have returned had it ended here.
    pub scores: Vec<Score>,
    /// What the run had spent had the loop ended here: without what serves only the next iteration.
    pub spent: Spent,
    /// Milliseconds from the start of the loop to the end of this iteration.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub elapsed_ms: u64,
    /// Of the result to the one before, from 0 to 1. `None` for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub similarity: Option<f64>,
    /// The value of the loop's own `score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub loop_score: Option<f64>,
    /// An evaluator let the result leave the loop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reached_exit: bool,
}

/// What an experiment found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub experiment: String,
    pub name: String,
    pub flow: String,
    pub cases: u32,
    pub repetitions: u32,
    /// Scorers by name; the index of the primary one.
    pub scorers: Vec<String>,
    pub primary: u32,
    /// By scorer: a lower score is better. Of a report that does not say, higher ones are.
    #[serde(default)]
    pub lower_is_better: Vec<bool>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    /// Index of the variant that the others are compared with.
    pub baseline: u32,
    pub variants: Vec<VariantReport>,
    /// Each other variant against the baseline, by each scorer.
    pub comparisons: Vec<Comparison>,
    pub assertions: Vec<AssertionResult>,
    /// What must be known to read it: rejected rows, unscored results, calls without a price, cases that were not run.
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_early: Option<String>,
}

impl Report {
    /// Returns the direction of the scorer with this index.
    pub fn direction(&self, scorer: usize) -> Direction {
        Direction::new(
            self.lower_is_better
                .get(scorer)
                .copied()
                .unwrap_or_default(),
        )
    }

    /// Returns the direction of the scorer with this name.
    pub fn direction_of(&self, scorer: &str) -> Direction {
        let at = self.scorers.iter().position(|known| known == scorer);
        at.map_or_else(Direction::default, |at| self.direction(at))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct VariantReport {
    pub name: String,
    pub completed: u32,
    pub failed: u32,
    pub not_run: u32,
    pub scorers: Vec<ScorerReport>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub cost_usd: f64,
    /// Of a completed run.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean_cost_usd: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub tokens: u64,
    /// Milliseconds: the median, and what 95 % of the runs do not exceed.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub latency_p50: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub latency_p95: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean_iterations: Option<f64>,
    /// Runs by the reason for which their loop ended.
    pub exit_reasons: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// How the cases did by one scorer. Repetitions of a case are averaged first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ScorerReport {
    pub scorer: String,
    /// Cases with a score.
    pub n: u32,
    /// Results without one.
    pub unscored: u32,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean: Option<f64>,
    /// BCa bootstrap, resampled by case.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub median: Option<f64>,
    /// Where scores are true or false, for 1 to the number of repetitions. True passes, or false where lower is better.
    pub pass: Vec<PassAt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PassAt {
    pub k: u32,
    /// The chance that at least one of `k` runs passes.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub any: f64,
    /// The chance that all of `k` runs pass.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub all: f64,
}

/// Quality and cost by iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Curve {
    /// The node of the loop.
    pub of: String,
    pub scorer: String,
    /// For each cap from 1 to the largest.
    pub points: Vec<CurvePoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<Knee>,
}

/// What the same cases would have given with a cap of `k`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CurvePoint {
    pub k: u32,
    /// Cases with a score.
    pub n: u32,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    /// Of a run, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub mean_cost_usd: f64,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub mean_tokens: f64,
    /// The share of runs whose loop had ended by itself by then, from 0 to 1.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub finished: f64,
}

/// The smallest cap that is as good as the best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Knee {
    pub k: u32,
    /// The cap with the best mean: the highest, or the lowest where lower is better; the smallest cap of equals.
    pub best: u32,
    /// How much worse the knee is than the best cap, in the unit of the scorer, paired by case. Not below 0, unless the two caps are
    /// known for different cases.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub difference: f64,
    /// Of `difference`.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    /// What a run costs less than with the best cap, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub saved_usd: f64,
}

/// A variant against the baseline, paired by case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub variant: String,
    pub baseline: String,
    pub scorer: String,
    /// Cases that both have a score for.
    pub pairs: u32,
    /// Mean of the variant minus mean of the baseline. Below 0 is the better side where lower is better.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub difference: Option<f64>,
    /// Of `difference`.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    /// Cases in which the variant is better, by the direction of the scorer.
    pub wins: u32,
    pub ties: u32,
    pub losses: u32,
    /// Ids of the cases that got worse, the worst first; at most 100.
    pub worse: Vec<String>,
    /// Of a run, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub cost_difference_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AssertionResult {
    pub holds: bool,
    /// What was asserted and what was found, in words.
    pub message: String,
}
