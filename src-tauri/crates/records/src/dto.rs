//! Runs and their steps, in the form that the window and the command line receive.

use std::collections::BTreeMap;

use loopwright_engine::{
    Checked, ExitReason, Expiry, RunStatus, Warning,
    event::{BudgetView, timestamp},
    outcome::UsageView,
    question::Question,
    transcript::Activity,
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
    /// The time at which the run started, in RFC 3339 and UTC.
    pub started_at: String,
    pub duration_ms: Option<u32>,
    pub usage: UsageView,
    pub warnings: Vec<Warning>,
    /// The number of finished iterations of the run's first loop.
    pub iterations: Option<u32>,
    pub exit_reason: Option<ExitReason>,
    pub forked_from: Option<ForkedFrom>,
    /// The name that a person gave the run.
    pub name: Option<String>,
    pub starred: bool,
    /// The quota that a running run waits for. If there are several, the one that is renewed first.
    pub parked: Option<ParkedView>,
    /// The time at which the next question of a waiting run expires, in RFC 3339 and UTC; null if none expires.
    pub expires_at: Option<String>,
    /// The name of the schedule that started the run; null if no schedule did.
    pub schedule: Option<String>,
}

/// The quota that a run waits for because it is used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ParkedView {
    /// The name of the provider or agent whose quota is used up: `Anthropic`.
    pub name: String,
    /// The end of the wait, in RFC 3339 and UTC.
    pub until: String,
}

/// The expiry of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ExpiryView {
    /// The time at which the question expires, in RFC 3339 and UTC.
    pub at: String,
    /// Whether the question then counts as approved. Otherwise it counts as rejected.
    pub approves: bool,
}

impl ExpiryView {
    pub(crate) fn of(expires: &Expiry) -> Self {
        Self {
            at: timestamp(expires.at),
            approves: expires.answer.approved,
        }
    }
}

/// The run that another run was forked from, and the fork point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// The id of the original run, which may have been deleted since.
    pub run_id: String,
    /// The path of the fork point: `refine[3]/draft`, `refine[3]`, `draft`.
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunDetail {
    pub summary: RunSummary,
    /// The flow that the run executed. The flow's file may have changed since.
    #[specta(type = Any)]
    pub document: Value,
    #[specta(type = Any)]
    pub inputs: Value,
    #[specta(type = Any)]
    pub outputs: Value,
    pub error: Option<RunFailureInfo>,
    /// The pinned values, keyed by node, which replaced the computed values.
    #[specta(type = BTreeMap<String, Any>)]
    pub pins: Map<String, Value>,
    /// The last node to execute, if the run was limited to a part of the flow; otherwise `None`.
    pub until: Option<String>,
    pub origin: Option<RunOrigin>,
    /// The run's budget, if any limit is set.
    pub budget: Option<BudgetView>,
    /// Whether the run was stopped because a budget was exhausted: its own, or a budget outside the run. If it was its own, the
    /// run can be resumed with a larger one.
    #[serde(rename = "overBudget")]
    pub over_budget: bool,
    /// Whether that budget was one outside the run, such as one for a day. The run can then be resumed without increasing its
    /// own budget.
    #[serde(rename = "overSpendingLimit")]
    pub over_spending_limit: bool,
}

/// The origin of a forked run, with the extent of what was copied.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunOrigin {
    /// The id of the original run, which may have been deleted since.
    pub run_id: String,
    pub at: String,
    /// Events with a lower `seq` were copied from the original run and keep their times.
    pub kept_seq: u32,
    /// The usage of the copied records. It is part of the run's usage but was not spent again.
    pub kept: UsageView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Running,
    /// The step waits until a person answers.
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
    /// The text that was received before the step failed. It is incomplete and never becomes the step's output.
    pub partial: Option<String>,
}

/// One execution of a node, with everything that is recorded about it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepDetail {
    pub path: String,
    pub node_id: String,
    pub status: StepStatus,
    pub reason: Option<String>,
    /// The question whose answer the step waits for; null if it does not wait for an answer.
    pub question: Option<Question>,
    /// The expiry of the question; null if it never expires.
    pub expires: Option<ExpiryView>,
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
    /// Whether the value was pinned instead of computed.
    pub pinned: bool,
    /// The numbers of passed and failed tests, if the node ran tests.
    pub checked: Option<Checked>,
    pub error: Option<StepError>,
    /// The tool call that a person has to approve.
    pub request: Option<ToolRequest>,
}

/// The transcript of an agent in a step: one turn for each attempt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(rename = "Transcript")]
pub struct TranscriptView {
    pub turns: Vec<TranscriptTurn>,
}

/// The transcript of one attempt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptTurn {
    pub entries: Vec<Activity>,
    /// The number of entries that were not recorded, because the turn has more than the limit.
    pub left_out: u32,
    /// The number of recorded entries before those that were left out; null if none were left out.
    pub left_out_after: Option<u32>,
    /// The total number of entries so far. While the turn is in progress, it can exceed the number of recorded entries.
    pub all: u32,
    /// What the agent is doing now or did last, as one line.
    pub line: String,
    pub input_tokens: Option<u32>,
    pub output_tokens: Option<u32>,
}

/// A tool call that waits for a person. Its arguments are the step's output.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    /// The name of the tool: `http.request`, `mcp:loud/shout`.
    pub tool: String,
    /// Whether the call may already have been made before an interruption, so that approving it may repeat it.
    pub again: bool,
    /// The names of the arguments that an answer cannot change.
    pub fixed: Vec<String>,
    pub facts: Vec<RequestFact>,
    /// The reason why the call would fail before it has any effect; null if no such reason is known.
    pub problem: Option<String>,
}

/// One line of the description of a call, derived from the data that the call sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct RequestFact {
    /// The label of the line: `Address`.
    pub label: String,
    pub values: Vec<String>,
}
