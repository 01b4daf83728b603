//! The user's requests to a run in progress: to pause, to continue, to repeat a model call, to stop waiting for quotas, or to
//! use an answer.

use std::sync::Arc;

use futures::channel::oneshot;
use loopwright_engine::{Answer, NodeError, session::AnswerRequest};
use tokio::sync::watch;

/// Receives the result of an answer to a question of a run in progress: success once the answer is on disk, or `not_waiting` if
/// nothing waits at its path. The channel is closed without a result if the run ends or is suspended before it processes the
/// answer.
pub type AnswerReceipt = oneshot::Receiver<Result<(), NodeError>>;

#[derive(Debug, Default)]
struct Wanted {
    paused: bool,
    /// The paths of the nodes that should repeat their call.
    again: Vec<String>,
    /// Whether one call for each quota should be made now instead of waiting for the quota.
    tries: bool,
    answers: Vec<AnswerRequest>,
}

/// The requests that have arrived since the driver last read them.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Whether the run should be paused.
    pub(crate) is_paused: bool,
    /// The paths of the calls to repeat.
    pub(crate) again: Vec<String>,
    /// Whether the run should stop waiting for quotas.
    pub(crate) tries: bool,
    /// The answers to open questions, in the order in which they were given.
    pub(crate) answers: Vec<AnswerRequest>,
}

/// A switch that pauses a run. Clones share one state.
#[derive(Debug, Clone)]
pub struct PauseSwitch(Arc<watch::Sender<Wanted>>);

/// The driver's receiver of changes to the switch.
pub(crate) struct Changes(watch::Receiver<Wanted>);

impl Default for PauseSwitch {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Wanted::default())))
    }
}

impl Changes {
    pub(crate) async fn changed(&mut self) -> Result<(), watch::error::RecvError> {
        self.0.changed().await
    }
}

impl PauseSwitch {
    /// Pauses the run: running nodes finish, and no new ones start.
    pub fn pause(&self) {
        self.0.send_modify(|wanted| wanted.paused = true);
    }

    /// Continues a run that is paused but not suspended yet. A suspended run must be resumed.
    pub fn unpause(&self) {
        self.0.send_modify(|wanted| wanted.paused = false);
    }

    pub fn is_paused(&self) -> bool {
        self.0.borrow().paused
    }

    /// Requests that the node at this path repeat its call instead of waiting for the answer.
    pub fn ask_again(&self, path: String) {
        self.0.send_modify(|wanted| wanted.again.push(path));
    }

    /// Requests that for each quota that the run waits for, one call be made now.
    pub fn try_now(&self) {
        self.0.send_modify(|wanted| wanted.tries = true);
    }

    /// Passes a person's answer to the question of the execution at `path` to the run. Returns a receiver for the result.
    pub fn answer(&self, path: String, answer: Answer) -> AnswerReceipt {
        let (receipt, result) = oneshot::channel();
        let request = AnswerRequest {
            path,
            answer,
            receipt,
        };
        self.0.send_modify(|wanted| wanted.answers.push(request));
        result
    }

    /// Returns whether the run has answers that the driver has not read yet.
    pub(crate) fn has_answers(&self) -> bool {
        !self.0.borrow().answers.is_empty()
    }

    /// Returns the requests since the last call of this function.
    pub(crate) fn take(&self) -> Requests {
        let mut requests = Requests::default();
        // `false`: the driver need not be notified when the requests are removed.
        self.0.send_if_modified(|wanted| {
            requests = Requests {
                is_paused: wanted.paused,
                again: std::mem::take(&mut wanted.again),
                tries: std::mem::take(&mut wanted.tries),
                answers: std::mem::take(&mut wanted.answers),
            };
            false
        });
        requests
    }

    pub(crate) fn changes(&self) -> Changes {
        let mut changes = self.0.subscribe();
        // A pause or an answer before the run began counts as a change.
        if self.is_paused() || self.has_answers() {
            changes.mark_changed();
        }
        Changes(changes)
    }
}
