//! Run events: one typed stream for the canvas, `--events` and tests, projected from the journal's records.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::outcome::UsageView;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Running,
    Paused,
    Waiting,
    Completed,
    Failed,
    Cancelled,
    Interrupted,
}

/// Why a scope stopped repeating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    MaxIterations,
    EvaluatorDone,
    StableOutput,
    ConditionMet,
    Timeout,
    BudgetExceeded,
    Cancelled,
    Error,
    /// An iterator after its last item.
    Completed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Warning {
    pub code: String,
    pub node: Option<String>,
    pub message: String,
}

/// One event. `seq` counts from 0 within the run and has no gaps but for streaming events, which share the number of the
/// record before them and are not kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Event {
    pub run_id: String,
    pub seq: u32,
    /// RFC 3339 with milliseconds, UTC.
    pub at: String,
    pub node_id: Option<String>,
    /// Empty for the run itself; `refine`, `refine[2]/draft` for nodes (iterations from 1).
    pub path: String,
    #[serde(flatten)]
    pub body: EventBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "type")]
pub enum EventBody {
    #[serde(rename = "workflow.started")]
    Started { name: String, inputs: Value },
    #[serde(rename = "workflow.completed")]
    Completed {
        outputs: Value,
        duration_ms: u32,
        usage: UsageView,
        warnings: Vec<Warning>,
    },
    /// `status`: `failed`, `cancelled` or `interrupted`.
    #[serde(rename = "workflow.failed")]
    Failed {
        status: RunStatus,
        code: String,
        message: String,
        duration_ms: u32,
        usage: UsageView,
        warnings: Vec<Warning>,
    },
    #[serde(rename = "workflow.node.started")]
    NodeStarted {
        max_iterations: Option<u32>,
        input_preview: Option<String>,
    },
    #[serde(rename = "workflow.node.streaming")]
    NodeStreaming { tokens: String },
    #[serde(rename = "workflow.node.completed")]
    NodeCompleted {
        duration_ms: u32,
        usage: UsageView,
        preview: String,
        branch: Option<String>,
        iterations_run: Option<u32>,
        exit_reason: Option<ExitReason>,
        exhausted: Option<bool>,
        model: Option<String>,
    },
    #[serde(rename = "workflow.node.failed")]
    NodeFailed {
        duration_ms: u32,
        code: String,
        message: String,
        iterations_run: Option<u32>,
        exit_reason: Option<ExitReason>,
        exhausted: Option<bool>,
    },
    #[serde(rename = "workflow.node.skipped")]
    NodeSkipped { reason: String },
    #[serde(rename = "workflow.node.waiting")]
    NodeWaiting { message: String },
    /// An iteration starts; `index` from 0; `path` is the scope's.
    #[serde(rename = "workflow.node.iteration")]
    Iteration {
        index: u32,
        total: Option<u32>,
        input_preview: String,
    },
    #[serde(rename = "workflow.loop.condition")]
    LoopCondition { index: u32, result: bool },
    #[serde(rename = "workflow.loop.iteration_completed")]
    IterationCompleted {
        index: u32,
        similarity: Option<f64>,
        condition_result: Option<bool>,
        score: Option<f64>,
        duration_ms: u32,
        usage: UsageView,
        result_preview: String,
        /// `completed`, `failed` or `cancelled`.
        status: RunStatus,
    },
}
