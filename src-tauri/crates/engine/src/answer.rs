//! A person's answer to a question of a run, and the answer that is used if nobody answers in time.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A person's answer to a question. The default value is a refusal without a comment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    pub approved: bool,
    /// The value as the person edited it. It may be null. `None` if the person did not edit it.
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
    /// Whether the question expired. If so, this is the answer that was set in advance, not a person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// The time at which a question expires, and the answer that is used then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expiry {
    /// The time in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    pub answer: Answer,
}

/// The time that a person has to answer, and the answer that is used if nobody answers in that time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeToAnswer {
    /// The time to answer, in milliseconds from when the question is asked.
    pub ms: u64,
    pub then: Answer,
}

impl TimeToAnswer {
    /// Returns the expiry of a question that is asked at `now` (milliseconds since the Unix epoch).
    pub(crate) fn from(self, now: i64) -> Expiry {
        let ms = i64::try_from(self.ms).unwrap_or(i64::MAX);
        Expiry {
            at: now.saturating_add(ms),
            answer: Answer {
                expired: true,
                ..self.then
            },
        }
    }
}

/// The calls that a person's approval of a tool call covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum AnswerScope {
    /// Only the call that the question is about.
    #[default]
    Once,
    /// Every call of the same node to the same destination, for the rest of the run. The node's kind defines what counts as a
    /// destination.
    Run,
}

impl AnswerScope {
    fn is_once(&self) -> bool {
        *self == Self::Once
    }
}

/// Deserializes a present field to `Some`, even if its value is null. By default, serde treats null as a missing field.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}
