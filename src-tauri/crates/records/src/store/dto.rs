//! What the history is asked and what it answers, as the window sees it.

use loopwright_engine::{
    event::{ExitReason, RunStatus},
    outcome::UsageView,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::dto::RunSummary;

/// Which runs to list. Everything that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunQuery {
    /// Any of these; empty: all.
    pub statuses: Vec<RunStatus>,
    /// Why the first loop stopped: any of these; empty: all.
    pub exit_reasons: Vec<ExitReason>,
    /// The flow's name, exactly.
    pub flow: Option<String>,
    /// Started at or after this; milliseconds since the Unix epoch, UTC.
    pub since: Option<i64>,
    /// Started before this.
    pub until: Option<i64>,
    /// Each word of it occurs in what came in, what came out, the error, the flow's name, the run's own name or its id.
    pub text: String,
    /// Only starred runs, or only the others.
    pub starred: Option<bool>,
    /// The batch of a shared store, exactly.
    pub batch: Option<String>,
    /// How many, at most 500.
    pub limit: u32,
    pub offset: u32,
}

/// Some of the runs that are meant, newest first, and what all of them come to.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunPage {
    pub runs: Vec<RunSummary>,
    pub tally: RunTally,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunTally {
    /// How many runs are meant, on all pages.
    pub runs: u32,
    /// Dollars that calls with a known price cost; `None` when none did.
    pub spent_usd: Option<f64>,
    /// The middle one of their durations; `None` when no run has one.
    pub median_ms: Option<u32>,
}

/// A flow that has runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FlowRuns {
    pub flow: String,
    pub runs: u32,
}

/// What is kept, and what it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoreInfo {
    pub runs: u32,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bytes beyond which the oldest runs that are over go; `None`: never.
    pub limit_bytes: Option<u64>,
    pub path: String,
}

/// One finished iteration of a loop or list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct IterationInfo {
    /// From 0.
    pub index: u32,
    /// `completed`, `failed` or `cancelled`.
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

/// Some of a scope's finished iterations, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct IterationPage {
    /// How many have finished.
    pub total: u32,
    pub iterations: Vec<IterationInfo>,
}
