//! People in a test: their answers, the paths of the questions, and the delay of each answer.

use std::{collections::BTreeMap, time::Duration};

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
    /// Whether the answer arrives `after_ms` after the question is asked, even if the run is then in progress.
    #[serde(default)]
    while_active: bool,
}

impl RecordedAnswer {
    fn answer(&self) -> Answer {
        Answer {
            approved: self.approved,
            value: self.value.clone(),
            comment: self.comment.clone(),
            ..Answer::default()
        }
    }

    /// Returns the milliseconds from the current time, `wall`, until this answer arrives; 0 if it is due. `asked` is the time of
    /// the question.
    fn left(&self, asked: i64, wall: i64) -> u64 {
        let at = asked.saturating_add_unsigned(self.after_ms);
        u64::try_from(at.saturating_sub(wall)).unwrap_or(0)
    }
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

/// The continuation of a waiting run: the answer, or `None` if a question expires first, and the time until the run continues.
pub type Continuation = (Option<(String, Answer)>, Duration);

/// Returns the open questions in `records`, by path, with the time at which each was asked.
fn open(records: &[Record]) -> BTreeMap<&str, i64> {
    let mut open = BTreeMap::new();
    for record in records {
        match &record.entry {
            Entry::Input(Input::NodeWaiting { .. }) => {
                open.insert(&*record.path, record.at);
            }
            Entry::Input(Input::NodeAnswered { .. })
            | Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_)) => {
                open.remove(&*record.path);
            }
            _ => {}
        }
    }
    open
}

impl People {
    /// Returns how a waiting run continues: with the next answer, or without one if a question expires first. `expires` is the
    /// time until a question expires, and `wall` the current time. Returns `None` if the run waits forever.
    pub fn continues(
        &self,
        records: &[Record],
        wall: i64,
        expires: Option<Duration>,
    ) -> Option<Continuation> {
        match (self.next(records, wall), expires) {
            (Some((answer, after)), expires) if expires.is_none_or(|left| after <= left) => {
                Some((Some(answer), after))
            }
            (_, expires) => Some((None, expires?)),
        }
    }

    /// Returns the first answer to an open question in `records` and its delay, or `None` if no open question has an answer.
    pub fn next(&self, records: &[Record], wall: i64) -> Option<((String, Answer), Duration)> {
        let open = open(records);
        self.answers.iter().find_map(|given| {
            let asked = *open.get(given.at.as_str())?;
            let after_ms = match given.while_active {
                true => given.left(asked, wall),
                false => given.after_ms,
            };
            let answer = (given.at.clone(), given.answer());
            Some((answer, Duration::from_millis(after_ms)))
        })
    }

    /// Returns the answer to the question at `path` that arrives while the run is in progress, with the time in milliseconds
    /// after the question. Returns `None` if there is none.
    pub fn while_active(&self, path: &str) -> Option<(Answer, u64)> {
        let mut answers = self.answers.iter();
        let given = answers.find(|given| given.while_active && given.at == path)?;
        Some((given.answer(), given.after_ms))
    }

    /// Returns the next answer that arrives while the run is in progress, with the time in milliseconds until then. Returns
    /// `None` if there is none.
    pub fn next_while_active(
        &self,
        records: &[Record],
        wall: i64,
    ) -> Option<((String, Answer), u64)> {
        if !self.answers.iter().any(|given| given.while_active) {
            return None;
        }
        let open = open(records);
        let left = |given: &RecordedAnswer| {
            let asked = *open.get(given.at.as_str()).filter(|_| given.while_active)?;
            Some(((given.at.clone(), given.answer()), given.left(asked, wall)))
        };
        self.answers
            .iter()
            .filter_map(left)
            .min_by_key(|next| next.1)
    }
}
