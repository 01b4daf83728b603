//! The data types of the commands for editing templates and expressions.

use std::collections::BTreeMap;

use loopwright_model::{Span, ValueType};
use serde::{Deserialize, Serialize};
use specta::Type;

/// A field of a node, and the run whose values are used.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldPlace {
    pub node: String,
    /// The path of the field within the node's `data`, such as `prompt` or `branches[0].when`.
    pub field: String,
    /// The id of the run; `null` for the latest run of the flow.
    pub run_id: Option<String>,
    /// The path of the subflow that the document belongs to: `outer[2]/polish`. Empty for the run's own flow.
    pub inside: String,
    /// The iterations that the user chose, from 1, keyed by the loop's id. For a loop that is missing here, the newest
    /// iteration is used.
    pub chosen: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SiteMode {
    #[default]
    Template,
    /// An expression without `{{ }}` whose value must be a Boolean.
    Condition,
    /// An expression without `{{ }}` whose value may have any type.
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

/// A field of the value that a name last had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldOfName {
    /// The name as written in the template: `draft.score`.
    pub written: String,
    pub last: String,
}

/// A name that a template can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NameInScope {
    /// The name as written in the template: `draft.usage`, `nodes["my draft"]`.
    pub written: String,
    pub group: NameGroup,
    pub value_type: ValueType,
    pub description: String,
    /// The id of the node that produces the value; `null` if no node does.
    pub node: Option<String>,
    /// Whether the name may have no value, so that the template must provide a default.
    pub may_be_missing: bool,
    /// The start of the name's value in the run; `null` if the name had no value.
    pub last: Option<String>,
    pub fields: Vec<FieldOfName>,
}

/// The run, and the path in it, from which values were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecordedAt {
    pub run_id: String,
    /// The path of the execution or iteration: `refine[3]/draft`.
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
    /// The start of the name's value; `null` if the name had no value.
    pub value: Option<String>,
    /// Whether the template provides a default for a missing value.
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

/// The result of a field's template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldPreview {
    pub mode: SiteMode,
    /// The value as text, at most 4,000 characters. `null` if there is no value.
    pub text: Option<String>,
    pub value_kind: Option<ValueKind>,
    /// Whether the text was shortened to the maximum length of a preview.
    pub cut: bool,
    pub error: Option<PreviewError>,
    pub reads: Vec<NameRead>,
    pub from: RecordedAt,
}
