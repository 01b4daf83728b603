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
    /// The id, which does not depend on the position of the case in the data set.
    pub id: String,
    /// The line of the file on which the case begins, from 1. In a JSON array or a YAML list, the number of the item, from 1.
    pub line: u32,
    /// The values of the flow's inputs, by name.
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub inputs: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
    pub expected: Option<Value>,
    /// The values of all columns, by name. Scorers read them as `case`.
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub row: Map<String, Value>,
}

impl Case {
    /// Returns the alternative answers of a case, any one of which is correct: the list in the `target` of an Inspect
    /// sample or in the `ideal` of OpenAI evals. Returns `None` if the case has no such list.
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

/// A row that cannot become a case, for example because an input is missing or its id is not unique. It is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RejectedRow {
    /// The line of the row in the file, from 1.
    pub line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The problem and its remedy.
    pub message: String,
}

/// One run: a case with a variant and a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// The index of the case in the data set.
    pub case: u32,
    /// The index of the variant.
    pub variant: u32,
    /// The number of the repetition, from 0.
    pub repetition: u32,
}

/// The state of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum CellStatus {
    /// The cell's run has begun and has not ended.
    Running,
    /// The cell's run completed. Each score has a value, or a reason why it has none.
    Completed,
    /// The cell's run failed. It has no scores and never counts as zero.
    Failed,
    /// The remaining budget of the experiment was too small for the cell's run.
    OverBudget,
    /// The experiment was stopped before the cell's run began.
    Cancelled,
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CellResult {
    pub cell: Cell,
    pub run_id: String,
    pub status: CellStatus,
    /// The value of the flow's only output, or all outputs by name.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Any))]
    pub output: Value,
    /// One score for each scorer of the evaluation, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Score>,
    /// The iterations of the loop in `perIteration`. Empty if `perIteration` is not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<IterationResult>,
    /// The number of iterations of the loop in `perIteration`, or of the run's first loop if `perIteration` is not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_count: Option<u32>,
    /// The engine's name for the reason why the loop ended, such as `evaluator_done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// Whether the loop reached a limit before its exit condition was met.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exhausted: bool,
    #[serde(default)]
    pub spent: Spent,
    /// The duration of the run in milliseconds.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The usage of model calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// The cost in millionths of a dollar.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub micro_usd: u64,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub tokens: u64,
    #[serde(default)]
    pub calls: u32,
    /// The number of calls whose cost is unknown. `micro_usd` does not include them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced_calls: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Spent {
    /// Returns the cost in dollars. `None` if the cost of a call is unknown.
    pub fn usd(&self) -> Option<f64> {
        (self.unpriced_calls == 0).then(|| self.known_usd())
    }

    /// Returns the cost of the calls whose cost is known, in dollars.
    pub fn known_usd(&self) -> f64 {
        self.micro_usd as f64 / 1e6
    }
}

impl VariantReport {
    /// Returns whether the cost of a completed run is unknown. `cost_usd` is then only the known part of the cost.
    pub fn has_unknown_costs(&self) -> bool {
        self.completed > 0 && self.mean_cost_usd.is_none()
    }
}

/// A scorer's rating of one result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// The score. `None` if the result is unscored. An unscored result never counts as zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub value: Option<f64>,
    /// Whether the scorer returned a boolean. `value` is then 0 or 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_boolean: bool,
    /// The reason that a judge gave, or the reason why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of one iteration of a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct IterationResult {
    /// One score for each scorer, for the result that the loop would have returned if it had ended with this iteration.
    pub scores: Vec<Score>,
    /// The usage that the run would have had if the loop had ended with this iteration, without the calls that only prepare the
    /// next iteration.
    pub spent: Spent,
    /// The time from the start of the loop to the end of this iteration, in milliseconds.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub elapsed_ms: u64,
    /// The similarity to the previous result, from 0 to 1; `None` for the first iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub similarity: Option<f64>,
    /// The value of the loop's own `score`. `None` if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub loop_score: Option<f64>,
    /// Whether a value reached the loop's Exit node in this iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reached_exit: bool,
}

/// The findings of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub experiment: String,
    pub name: String,
    pub flow: String,
    pub cases: u32,
    pub repetitions: u32,
    /// The names of the scorers. `primary` is the index of the primary one.
    pub scorers: Vec<String>,
    pub primary: u32,
    /// For each scorer, whether a lower score is better. An empty list means that higher scores are better for all scorers.
    #[serde(default)]
    pub lower_is_better: Vec<bool>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    /// The index of the baseline, which is the variant that the others are compared with.
    pub baseline: u32,
    pub variants: Vec<VariantReport>,
    /// The comparisons of each other variant with the baseline, by each scorer.
    pub comparisons: Vec<Comparison>,
    pub assertions: Vec<AssertionResult>,
    /// Notes for readers of the report: rejected rows, unscored results, calls without a price, cases that were not run.
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_early: Option<String>,
}

impl Report {
    /// Returns the direction of the scorer with this index. Higher is better if the index is unknown.
    pub fn direction(&self, scorer: usize) -> Direction {
        Direction::new(
            self.lower_is_better
                .get(scorer)
                .copied()
                .unwrap_or_default(),
        )
    }

    /// Returns the direction of the scorer with this name. Higher is better if the name is unknown.
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
    /// The mean cost of a completed run, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean_cost_usd: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub tokens: u64,
    /// The median of the durations of completed runs, in milliseconds. `latency_p95` is their 95th percentile.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub latency_p50: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub latency_p95: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean_iterations: Option<f64>,
    /// The number of runs, by the reason why their loop ended.
    pub exit_reasons: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// The scores of the cases by one scorer. Repetitions of a case are averaged first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ScorerReport {
    pub scorer: String,
    /// The number of cases with a score.
    pub n: u32,
    /// The number of completed runs whose result has no score.
    pub unscored: u32,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean: Option<f64>,
    /// The interval of the mean, by BCa bootstrap, resampled by case.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub median: Option<f64>,
    /// For scores that are true or false, one entry for each `k` from 1 to the number of repetitions. A run passes if its score
    /// is true, or false if lower is better.
    pub pass: Vec<PassAt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PassAt {
    pub k: u32,
    /// The estimated probability that at least one of `k` runs of a case passes, averaged over the cases.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub any: f64,
    /// The estimated probability that all of `k` runs of a case pass, averaged over the cases.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub all: f64,
}

/// The quality and the cost of a variant's runs for each cap, by one scorer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Curve {
    /// The id of the loop's node.
    pub of: String,
    pub scorer: String,
    /// One point for each cap from 1 to the largest.
    pub points: Vec<CurvePoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<Knee>,
}

/// The figures that the same runs would have had with a cap of `k` iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CurvePoint {
    pub k: u32,
    /// The number of cases with a score.
    pub n: u32,
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub mean: Option<f64>,
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    /// The mean cost of a run, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub mean_cost_usd: f64,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub mean_tokens: f64,
    /// The share of runs whose loop had already ended by its exit condition, from 0 to 1.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub finished: f64,
}

/// The smallest cap that is as good as the best cap, within the margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Knee {
    pub k: u32,
    /// The cap with the best mean, which is the highest mean, or the lowest if lower is better. In a tie, it is the
    /// smallest of these caps.
    pub best: u32,
    /// The difference by which the knee is worse than the best cap, in the unit of the scorer, paired by case. The difference
    /// can be negative only if different cases are known for the two caps.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub difference: f64,
    /// The interval of `difference`.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    /// The average amount that a run with the cap `k` saves compared with the best cap, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub saved_usd: f64,
}

/// The comparison of a variant with the baseline, paired by case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub variant: String,
    pub baseline: String,
    pub scorer: String,
    /// The number of cases for which both variants have a score.
    pub pairs: u32,
    /// The mean score of the variant minus that of the baseline, over the pairs. Negative is better if lower is better.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub difference: Option<f64>,
    /// The interval of `difference`.
    #[cfg_attr(feature = "typescript", specta(type = Option<[specta_typescript::Number; 2]>))]
    pub interval: Option<Interval>,
    /// The number of cases in which the variant is better, by the direction of the scorer.
    pub wins: u32,
    pub ties: u32,
    pub losses: u32,
    /// The ids of the cases that got worse, the worst first; at most 100.
    pub worse: Vec<String>,
    /// The mean difference in the cost of a completed run, variant minus baseline, paired by case, in dollars.
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub cost_difference_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AssertionResult {
    pub holds: bool,
    /// A sentence that states the assertion and what was measured.
    pub message: String,
}
