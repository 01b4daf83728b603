//! Messages from executions to the session, and their answers.

use futures::channel::oneshot;
use loopwright_model::graph::NodeIx;

use crate::{
    host::Quote,
    outcome::{NodeError, Usage},
    run::Ticket,
    spending::NoRoom,
    transcript::TranscriptPart,
    trust::Note,
};

/// A message from an execution.
#[derive(Debug)]
pub struct SessionMessage(pub(super) Message);

#[derive(Debug)]
pub(super) enum Message {
    /// Requests a call. The answer is the number of the call, or an error.
    CallRequested {
        ticket: Ticket,
        wants: CallWants,
        answer: oneshot::Sender<Result<u64, NodeError>>,
    },
    /// Requests a call for which a budget outside the run is too small. The run then halts, and the call waits.
    NoRoom {
        ticket: Ticket,
        wants: CallWants,
        no_room: NoRoom,
        answer: oneshot::Sender<Result<u64, NodeError>>,
    },
    CallEnded {
        call: u64,
        usage: Usage,
        known: bool,
    },
    /// An execution continued after its wait for a quota, and its call was answered.
    QuotaAnswered { ticket: Ticket },
    /// Leaves a note about trust.
    Noted {
        node: NodeIx,
        path: String,
        note: Note,
    },
    /// Adds a part to the transcript of an agent.
    Worked {
        node: NodeIx,
        path: String,
        part: TranscriptPart,
    },
}

/// The usage that a call requests.
#[derive(Debug)]
pub(super) enum CallWants {
    /// The maximum usage of the call.
    Quoted(Quote),
    /// Work with this name, whose usage has no upper bound.
    Unbounded(String),
}

/// The permission for a call. The call's reservation is on disk before the permission is given.
#[derive(Debug)]
pub struct CallPermit {
    pub(super) call: u64,
    pub(super) answer: oneshot::Sender<Result<u64, NodeError>>,
}

impl CallPermit {
    pub fn give(self) {
        // Sending fails if the node was abandoned in the meantime. The node then makes no call, and the reservation counts as
        // spent.
        let _ = self.answer.send(Ok(self.call));
    }
}

/// A call that is requested or in progress: its owner, and the sender for its permit.
pub(super) type Requested = (Ticket, Option<oneshot::Sender<Result<u64, NodeError>>>);
