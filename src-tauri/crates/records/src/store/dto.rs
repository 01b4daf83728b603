//! The queries and results of the history, in the form that the window receives.

use loopwright_engine::{ExitReason, RunStatus, outcome::UsageView};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::dto::RunSummary;

/// A filter for runs. A run must match every field that is set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunQuery {
    /// Runs with any of these statuses; empty for all.
    pub statuses: Vec<RunStatus>,
    /// Runs whose first loop stopped for any of these reasons; empty for all.
    pub exit_reasons: Vec<ExitReason>,
    /// The exact name of the flow; `None` for all flows.
    pub flow: Option<String>,
    /// The earliest start, inclusive, in milliseconds since the Unix epoch, UTC; `None` for no limit.
    pub since: Option<i64>,
    /// The latest start, exclusive, in milliseconds since the Unix epoch, UTC; `None` for no limit.
    pub until: Option<i64>,
    /// Each word must occur in an input, an output, the error, the flow's name, or the run's name or id.
    pub text: String,
    /// `true` to include only starred runs, `false` to include only runs without a star; `None` for both.
    pub starred: Option<bool>,
    /// The exact name of a batch of a shared store; `None` for all runs.
    pub batch: Option<String>,
    /// The maximum number of runs, at most 500.
    pub limit: u32,
    pub offset: u32,
}

/// One page of the matching runs, newest first, with totals of all matching runs.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunPage {
    pub runs: Vec<RunSummary>,
    pub tally: RunTally,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunTally {
    /// The total number of matching runs.
    pub runs: u32,
    /// The total cost in dollars of calls with a known price; `None` if there are none.
    pub spent_usd: Option<f64>,
    /// The median duration in milliseconds; `None` if no run has a duration.
    pub median_ms: Option<u32>,
}

/// The name of a flow with the number of its stored runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FlowRuns {
    pub flow: String,
    pub runs: u32,
}

/// The size of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoreInfo {
    pub runs: u32,
    /// The size on disk, in bytes.
    pub bytes: u64,
    /// The size in bytes above which the oldest finished runs are deleted; `None` for no limit.
    pub limit_bytes: Option<u64>,
    pub path: String,
}

/// One finished iteration of a loop or list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct IterationInfo {
    /// The index of the iteration, from 0.
    pub index: u32,
    /// The status of the iteration: `completed`, `failed` or `cancelled`.
    pub status: RunStatus,
    pub similarity: Option<f64>,
    pub condition_result: Option<bool>,
    pub score: Option<f64>,
    pub duration_ms: u32,
    pub usage: UsageView,
    pub result_preview: String,
    /// Whether a value reached the end of the loop or list.
    pub reached_exit: bool,
}

/// One page of a scope's finished iterations, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct IterationPage {
    /// The number of finished iterations.
    pub total: u32,
    pub iterations: Vec<IterationInfo>,
}
