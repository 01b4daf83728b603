//! The data that a comparison of two runs shows. A is the run on the left and B the run on the right.

use loopwright_engine::{ExitReason, outcome::UsageView};
use loopwright_runs::RunFailureInfo;
use serde::Serialize;
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;

use crate::dto::{RunSummary, StepDetail, StepStatus};

/// Two runs side by side: first their flows, settings and inputs, then their results.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunComparison {
    pub a: RunSummary,
    pub b: RunSummary,
    pub error_a: Option<RunFailureInfo>,
    pub error_b: Option<RunFailureInfo>,
    /// The path of the fork point if one run was forked from the other, or if both were forked from a third run at the same
    /// point; otherwise `None`.
    pub forked_at: Option<String>,
    /// The fields that differ, of nodes and of the workflow, in document order. A pin appears as the field `pin` of its
    /// node.
    pub settings: Vec<FieldDifference>,
    /// The nodes and wires that exist in only one of the two flows.
    pub structure: Vec<StructureDifference>,
    /// The inputs that differ, by name.
    pub inputs: Vec<ValueDifference>,
    /// The outputs by name. An output that is the same in both runs has a single part.
    pub outputs: Vec<ValueDifference>,
    /// Loops and lists by path, in the order in which they began.
    pub loops: Vec<LoopComparison>,
    /// Steps that differ, or that exist in only one run: first those of B in the order in which they began, then those that
    /// exist only in A.
    pub steps: Vec<StepDifference>,
    /// The number of steps with the same value and status in both runs.
    pub same_steps: u32,
}

/// A piece of text: the same in both, only in A (`removed`), or only in B (`added`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct DiffPart {
    pub kind: DiffKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DiffKind {
    Same,
    Removed,
    Added,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FieldDifference {
    /// The id of the node; `None` for a setting of the workflow.
    pub node: Option<String>,
    /// The path of the field, such as `prompt` or `limits.timeout`.
    pub field: String,
    /// The value in A; null if the field is not set there.
    #[specta(type = Any)]
    pub a: Value,
    #[specta(type = Any)]
    pub b: Value,
    pub parts: Vec<DiffPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StructureDifference {
    /// A node's id, or a wire such as `draft.response → critique.prompt`.
    pub what: String,
    pub is_wire: bool,
    /// Whether the node or wire exists only in B. Otherwise it exists only in A.
    pub in_b: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ValueDifference {
    pub name: String,
    /// The value in A; null if A has no value.
    #[specta(type = Any)]
    pub a: Value,
    #[specta(type = Any)]
    pub b: Value,
    pub same: bool,
    /// The pieces of both values. Short text is compared word by word, and any other value line by line.
    pub parts: Vec<DiffPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LoopComparison {
    /// The path of the loop, such as `refine` or `outer[1]/inner`.
    pub path: String,
    pub a: Option<LoopSide>,
    pub b: Option<LoopSide>,
}

/// A loop in one of the runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LoopSide {
    /// The number of finished iterations.
    pub count: u32,
    /// The reason why the loop ended; `None` while the loop is running.
    pub exit_reason: Option<ExitReason>,
    pub exhausted: bool,
    pub iterations: Vec<IterationSide>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct IterationSide {
    /// The number of the iteration, from 1.
    pub number: u32,
    pub similarity: Option<f64>,
    pub condition: Option<bool>,
    pub score: Option<f64>,
    pub duration_ms: u32,
    pub usage: UsageView,
    pub result_preview: String,
}

/// A summary of a step that differs. `compare_step` returns the whole step.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StepDifference {
    /// The path of the step, such as `refine[2]/draft`.
    pub path: String,
    pub node_id: String,
    /// The step in A; `None` if A has no such step.
    pub a: Option<StepSide>,
    pub b: Option<StepSide>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StepSide {
    pub status: StepStatus,
    pub duration_ms: Option<u32>,
    pub usage: UsageView,
    pub preview: String,
    pub branch: Option<String>,
    pub pinned: bool,
}

/// One step of two runs in full, with their differences.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepComparison {
    pub a: Option<StepDetail>,
    pub b: Option<StepDetail>,
    /// The differences between the prompts; empty if neither step has a prompt.
    pub prompt: Vec<DiffPart>,
    /// The differences between the values.
    pub output: Vec<DiffPart>,
}
