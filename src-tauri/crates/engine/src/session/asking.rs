//! An execution that waits for the answer to a question, and a person's answer to it while the run is in progress.

use std::sync::Arc;

use futures::channel::oneshot;
use serde_json::Value;

use super::attempt::Attempt;
use crate::{
    answer::{Answer, Expiry},
    kind::NodeInput,
    outcome::NodeError,
    question::Question,
};

/// An execution that waits for an answer.
pub(super) struct Asking {
    /// The attempt that continues when the question is answered.
    pub(super) attempt: Attempt,
    pub(super) input: NodeInput,
    /// When and how the question expires; `None` if it waits forever.
    pub(super) expires: Option<Expiry>,
    /// Whether the question is about repeating an interrupted call.
    pub(super) is_repetition: bool,
    /// The arguments of the interrupted call, if a person edited them before the interruption.
    pub(super) edited: Option<Value>,
    /// The question and its value, if they were written in another store. They cannot be trusted.
    pub(super) imported_question: Option<(Question, Arc<Value>)>,
}

/// A person's answer to a question of a run in progress.
#[derive(Debug)]
pub struct AnswerRequest {
    /// The path of the execution that waits.
    pub path: String,
    pub answer: Answer,
    /// Receives the result: success once the answer is on disk, or `not_waiting` if nothing waits at the path. If the run ends
    /// or is suspended before it takes the answer, the sender is dropped.
    pub receipt: oneshot::Sender<Result<(), NodeError>>,
}

/// An answer that a run has accepted. The host confirms it once the answer is on disk.
#[derive(Debug)]
pub struct AcceptedAnswer(pub(super) oneshot::Sender<Result<(), NodeError>>);

impl AcceptedAnswer {
    pub fn confirm(self) {
        // Sending fails if nobody waits for the confirmation any longer.
        let _ = self.0.send(Ok(()));
    }
}
