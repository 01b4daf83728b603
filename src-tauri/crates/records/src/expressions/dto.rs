//! The data types of these commands.

use std::collections::BTreeMap;

use loopwright_model::{Span, ValueType};
use serde::{Deserialize, Serialize};
use specta::Type;

/// A field of a node, and the run whose values are wanted.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldPlace {
    pub node: String,
    /// A path within the node's `data`: `prompt`, `branches[0].when`.
    pub field: String,
    /// `null`: the newest of the flow.
    pub run_id: Option<String>,
    /// The path of the subflow whose flow the document is: `outer[2]/polish`; empty for the flow of the run itself.
    pub inside: String,
    /// The iteration to look at, by loop, from 1. Of the others the newest.
    pub chosen: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SiteMode {
    #[default]
    Template,
    /// A bare expression that must give a boolean.
    Condition,
    /// A bare expression of any type.
    Expression,
    Script,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NameGroup {
    Input,
    Variable,
    Node,
    Previous,
    Loop,
    Run,
}

/// A field of a name's last value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldOfName {
    /// As it is written: `draft.score`.
    pub written: String,
    pub last: String,
}

/// A name that a template can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NameInScope {
    /// As it is written: `draft.usage`, `nodes["my draft"]`.
    pub written: String,
    pub group: NameGroup,
    pub value_type: ValueType,
    pub description: String,
    /// The node whose value it is.
    pub node: Option<String>,
    /// It may have no value, so that it is read with a default.
    pub may_be_missing: bool,
    /// The beginning of its value in the run; `null`: it had none.
    pub last: Option<String>,
    pub fields: Vec<FieldOfName>,
}

/// Where a recorded value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecordedAt {
    pub run_id: String,
    /// `refine[3]/draft`
    pub path: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NamesInScope {
    pub mode: SiteMode,
    pub names: Vec<NameInScope>,
    pub from: Option<RecordedAt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

/// A name that a template reads, with its value in the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NameRead {
    pub name: String,
    /// The beginning of its value; `null`: it had none.
    pub value: Option<String>,
    /// Nothing is wrong where it has none.
    pub has_default: bool,
    pub span: Option<Span>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PreviewError {
    pub code: String,
    pub message: String,
    pub span: Option<Span>,
}

/// What a field's template comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldPreview {
    pub mode: SiteMode,
    /// The value as text: at most 4,000 characters of it. `null` where there is none.
    pub text: Option<String>,
    pub value_kind: Option<ValueKind>,
    /// The text is longer.
    pub cut: bool,
    pub error: Option<PreviewError>,
    pub reads: Vec<NameRead>,
    pub from: RecordedAt,
}
