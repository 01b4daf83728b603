//! The calls that a person allowed for the rest of a run.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use crate::{
    answer::{Answer, AnswerScope},
    journal::{Entry, Input, Record},
};

/// The calls that a person allowed for the rest of the run, by the node's place, which is its path without iteration numbers.
#[derive(Default)]
pub(super) struct AllowedCalls {
    by_place: HashMap<String, Vec<Arc<Value>>>,
    /// The value of each unanswered question, by path.
    asked: HashMap<String, Arc<Value>>,
}

impl AllowedCalls {
    /// Reads the allowed calls from the records of a run. A fork is a new run, so permissions from before a fork do not apply.
    /// The first `imported` records were written in another store, and answers among them allow nothing here.
    pub(super) fn read(records: &[Record], imported: u64) -> Self {
        let mut allowed = Self::default();
        for record in records {
            match &record.entry {
                Entry::Input(Input::NodeWaiting { value, .. }) => {
                    let value = Arc::clone(value);
                    allowed.asked.insert(record.path.clone(), value);
                }
                Entry::Input(Input::NodeAnswered { .. }) if record.seq < imported => {
                    allowed.asked.remove(&record.path);
                }
                Entry::Input(Input::NodeAnswered { answer }) => {
                    allowed.answer(&record.path, answer);
                }
                Entry::Input(Input::Forked { .. }) => allowed.by_place.clear(),
                _ => {}
            }
        }
        allowed
    }

    /// Updates the allowed calls with the answer to the question at `path`.
    pub(super) fn answer(&mut self, path: &str, answer: &Answer) {
        let asked = self.asked.remove(path);
        if !answer.approved || answer.scope != AnswerScope::Run {
            return;
        }
        let edited = answer.value.clone().filter(|value| !value.is_null());
        if let Some(value) = edited.map(Arc::new).or(asked) {
            self.by_place.entry(place(path)).or_default().push(value);
        }
    }

    /// Returns the calls that the node at `path` may make without another question, each with the person's edits.
    pub(super) fn at(&self, path: &str) -> Vec<Arc<Value>> {
        if self.by_place.is_empty() {
            return Vec::new();
        }
        self.by_place.get(&place(path)).cloned().unwrap_or_default()
    }
}

/// Returns the path without iteration numbers: `refine/draft` for `refine[2]/draft`.
fn place(path: &str) -> String {
    let parts = path.split('/');
    let names = parts.map(|part| part.split_once('[').map_or(part, |(name, _)| name));
    names.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::question::Question;

    fn record(path: &str, input: Input) -> Record {
        Record {
            seq: 0,
            at: 0,
            path: path.to_owned(),
            node_id: None,
            entry: Entry::Input(input),
        }
    }

    fn asks(path: &str, value: &str) -> Record {
        let question = Question::Approve {
            message: "Good?".to_owned(),
        };
        let value = Arc::new(json!(value));
        let expires = None;
        record(
            path,
            Input::NodeWaiting {
                question,
                value,
                expires,
            },
        )
    }

    fn answers(path: &str, answer: Answer) -> Record {
        record(
            path,
            Input::NodeAnswered {
                answer: Box::new(answer),
            },
        )
    }

    fn for_the_run() -> Answer {
        Answer {
            approved: true,
            scope: AnswerScope::Run,
            ..Answer::default()
        }
    }

    #[test]
    fn what_is_allowed_for_the_run_holds_at_its_node_in_every_iteration() {
        let edited = Answer {
            value: Some(json!("c")),
            ..for_the_run()
        };
        let allowed = AllowedCalls::read(
            &[
                asks("refine[2]/post", "a"),
                answers("refine[2]/post", for_the_run()),
                asks("other", "b"),
                answers("other", edited),
            ],
            0,
        );
        assert_eq!(allowed.at("refine[3]/post"), [Arc::new(json!("a"))]);
        assert_eq!(allowed.at("other"), [Arc::new(json!("c"))]);
        assert!(allowed.at("post").is_empty());
    }

    #[test]
    fn one_call_and_a_refusal_allow_nothing_more() {
        let once = Answer {
            scope: AnswerScope::Once,
            ..for_the_run()
        };
        let refused = Answer {
            approved: false,
            ..for_the_run()
        };
        for answer in [once, refused] {
            let allowed = AllowedCalls::read(&[asks("post", "a"), answers("post", answer)], 0);
            assert!(allowed.at("post").is_empty());
        }
    }

    #[test]
    fn a_fork_is_another_run() {
        let forked = Input::Forked {
            parent: "run".to_owned(),
            at: "post".to_owned(),
            beyond: false,
            given: None,
        };
        let records = [
            asks("post", "a"),
            answers("post", for_the_run()),
            record("", forked),
        ];
        assert!(AllowedCalls::read(&records, 0).at("post").is_empty());
    }

    #[test]
    fn an_answer_from_another_store_allows_nothing() {
        let mut records = [asks("post", "a"), answers("post", for_the_run())];
        records[1].seq = 1;
        assert!(AllowedCalls::read(&records, 2).at("post").is_empty());
        assert_eq!(AllowedCalls::read(&records, 1).at("post").len(), 1);
    }
}
