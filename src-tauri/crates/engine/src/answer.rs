//! A person's answer to a question of a run.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A person's answer. The default refuses.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    pub approved: bool,
    /// The value as the person edited it. It may be null.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub value: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The calls that an approval covers.
    #[serde(default, skip_serializing_if = "AnswerScope::is_once")]
    pub scope: AnswerScope,
}

/// How far a person's approval of a tool call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum AnswerScope {
    /// This call.
    #[default]
    Once,
    /// Calls of the same node for the rest of the run that go to the same place: the node's kind says what that is.
    Run,
}

impl AnswerScope {
    fn is_once(&self) -> bool {
        *self == Self::Once
    }
}

/// Reads a present field as `Some`, also when its value is null. Serde alone would read null as absent.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}
