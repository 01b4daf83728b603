//! What executions say to the session, and how it answers.

use futures::channel::oneshot;
use loopwright_model::graph::NodeIx;

use crate::{
    host::Quote,
    outcome::{NodeError, Usage},
    run::Ticket,
    trust::Note,
};

/// Something that an execution says.
#[derive(Debug)]
pub struct SessionMessage(pub(super) Message);

#[derive(Debug)]
pub(super) enum Message {
    /// May a call be made? The answer is its number, or why not.
    CallRequested {
        ticket: Ticket,
        wants: CallWants,
        answer: oneshot::Sender<Result<u64, NodeError>>,
    },
    CallEnded {
        call: u64,
        usage: Usage,
        known: bool,
    },
    /// An execution leaves a note about trust.
    Noted {
        node: NodeIx,
        path: String,
        note: Note,
    },
}

/// What a call asks for.
#[derive(Debug)]
pub(super) enum CallWants {
    /// The most that it can use.
    Quoted(Quote),
    /// Nothing bounds what this uses.
    Unbounded(String),
}

/// Lets a call be made. What is reserved for it is on disk by then.
#[derive(Debug)]
pub struct CallPermit {
    pub(super) call: u64,
    pub(super) answer: oneshot::Sender<Result<u64, NodeError>>,
}

impl CallPermit {
    pub fn give(self) {
        // A node that was given up meanwhile makes no call; what was reserved for it is written off with it.
        let _ = self.answer.send(Ok(self.call));
    }
}

/// A call that asks or is under way: whose it is, and where its permit is waited for.
pub(super) type Requested = (Ticket, Option<oneshot::Sender<Result<u64, NodeError>>>);
