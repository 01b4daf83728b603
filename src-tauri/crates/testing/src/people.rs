//! People in a test: their answers, the paths of the questions, and the delay of each answer.

use std::{collections::BTreeSet, time::Duration};

use loopwright_engine::{
    Answer, ApprovalPolicy,
    journal::{Entry, Fact, Input, Record},
};
use serde::Deserialize;
use serde_json::Value;

/// The `approve` setting of a case, as on the command line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    Ask,
    #[default]
    All,
    None,
}

impl From<ApprovalMode> for ApprovalPolicy {
    fn from(asks: ApprovalMode) -> Self {
        match asks {
            ApprovalMode::Ask => Self::Ask,
            ApprovalMode::All => Self::All,
            ApprovalMode::None => Self::None,
        }
    }
}

/// An answer in a case.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedAnswer {
    /// The path of the asking node, such as `refine[2]/ask`.
    at: String,
    approved: bool,
    /// The edited value. An explicit null is a value.
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    #[serde(default)]
    comment: Option<String>,
    /// The time in milliseconds during which the run is suspended before the answer arrives.
    #[serde(default)]
    after_ms: u64,
}

fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

/// The people in a case, as a source of answers.
#[derive(Debug, Default, Clone)]
pub struct People {
    pub approve: ApprovalMode,
    pub answers: Vec<RecordedAnswer>,
}

/// The continuation of a waiting run: the answer, if a person gives one, and the time until then.
pub type Continuation = (Option<(String, Answer)>, Duration);

impl People {
    /// Returns how a waiting run continues: with the next answer, or without one if its question expires first. `expires` is the
    /// time until then. Returns `None` if it waits forever.
    pub fn continues(&self, records: &[Record], expires: Option<Duration>) -> Option<Continuation> {
        match (self.next(records), expires) {
            (Some((answer, after)), expires) if expires.is_none_or(|left| after <= left) => {
                Some((Some(answer), after))
            }
            (_, expires) => Some((None, expires?)),
        }
    }

    /// Returns the first answer to an open question in `records` and its delay, or `None` if no open question has an answer.
    pub fn next(&self, records: &[Record]) -> Option<((String, Answer), Duration)> {
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for record in records {
            match &record.entry {
                Entry::Input(Input::NodeWaiting { .. }) => {
                    open.insert(&record.path);
                }
                Entry::Input(Input::NodeAnswered { .. })
                | Entry::Input(Input::ExecutionCompleted(_))
                | Entry::Fact(Fact::NodeCompleted(_))
                | Entry::Input(Input::ExecutionFailed(_))
                | Entry::Fact(Fact::NodeFailed(_)) => {
                    open.remove(record.path.as_str());
                }
                _ => {}
            }
        }
        let given = self
            .answers
            .iter()
            .find(|given| open.contains(given.at.as_str()))?;
        let answer = Answer {
            approved: given.approved,
            value: given.value.clone(),
            comment: given.comment.clone(),
            ..Answer::default()
        };
        Some((
            (given.at.clone(), answer),
            Duration::from_millis(given.after_ms),
        ))
    }
}
