//! Runs and their steps.

use std::collections::BTreeMap;

use loopwright_engine::{
    Checked,
    event::{BudgetView, ExitReason, RunStatus, Warning},
    outcome::UsageView,
    question::Question,
};
use loopwright_runs::RunFailureInfo;
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;
use specta_typescript::Any;

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub run_id: String,
    pub flow: String,
    pub flow_path: Option<String>,
    pub status: RunStatus,
    /// RFC 3339, UTC.
    pub started_at: String,
    pub duration_ms: Option<u32>,
    pub usage: UsageView,
    pub warnings: Vec<Warning>,
    /// Of the first loop.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub forked_from: Option<ForkedFrom>,
    /// What a person calls the run.
    pub name: Option<String>,
    pub starred: bool,
}

/// The run that another was forked from, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// It may have been deleted since.
    pub run_id: String,
    /// `refine[3]/draft`, `refine[3]`, `draft`
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunDetail {
    pub summary: RunSummary,
    /// The flow as it ran.
    #[specta(type = Any)]
    pub document: Value,
    #[specta(type = Any)]
    pub inputs: Value,
    #[specta(type = Any)]
    pub outputs: Value,
    pub error: Option<RunFailureInfo>,
    /// Values that stood for what nodes would give, by node.
    #[specta(type = BTreeMap<String, Any>)]
    pub pins: Map<String, Value>,
    /// The node that the run went as far as.
    pub until: Option<String>,
    pub origin: Option<RunOrigin>,
    /// The run's budget, where one is set anywhere in it.
    pub budget: Option<BudgetView>,
    /// It was stopped at its own budget, and continues with a larger one.
    #[serde(rename = "overBudget")]
    pub over_budget: bool,
}

/// Where a run was forked, and what it took over.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunOrigin {
    /// The run that was forked; it may have been deleted since.
    pub run_id: String,
    pub at: String,
    /// Events with a lower `seq` were taken over, with their times.
    pub kept_seq: u32,
    /// What they used: part of the run's usage, and not spent again.
    pub kept: UsageView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Running,
    /// A person must answer.
    Waiting,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct StepError {
    pub code: String,
    pub message: String,
    /// The text that had come until it failed; never a result.
    pub partial: Option<String>,
}

/// Everything about one execution of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepDetail {
    pub path: String,
    pub node_id: String,
    pub status: StepStatus,
    pub reason: Option<String>,
    /// What it asks, while it waits for a person.
    pub question: Option<Question>,
    #[specta(type = BTreeMap<String, Any>)]
    pub inputs: Map<String, Value>,
    #[specta(type = Any)]
    pub output: Value,
    #[specta(type = BTreeMap<String, Any>)]
    pub handles: Map<String, Value>,
    pub prompt: Option<String>,
    #[specta(type = Option<Any>)]
    pub raw: Option<Value>,
    pub usage: UsageView,
    #[serde(rename = "durationMs")]
    pub duration_ms: Option<u32>,
    pub model: Option<String>,
    /// It was not executed: a person fixed its value.
    pub pinned: bool,
    /// Of a node that ran tests: how many passed and failed.
    pub checked: Option<Checked>,
    pub error: Option<StepError>,
    /// The tool call that a person is asked about.
    pub request: Option<ToolRequest>,
}

/// A tool call that waits for a person. Its arguments are the step's output.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    /// `http.request`, `mcp:loud/shout`
    pub tool: String,
    /// The call may have been made before it was cut off, and is made again as it was.
    pub again: bool,
    /// Arguments that an answer cannot change.
    pub fixed: Vec<String>,
    pub facts: Vec<RequestFact>,
    /// Why the call would fail before it does anything.
    pub problem: Option<String>,
}

/// A line of what a call does, made of what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct RequestFact {
    /// `Address`
    pub label: String,
    pub values: Vec<String>,
}
