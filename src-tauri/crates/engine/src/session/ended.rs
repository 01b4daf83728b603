//! The results of the work that a host does for a session: executions of nodes, and operations on resources.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    answer::TimeToAnswer, journal::ScopeAnswer, kind::NodeInput, outcome::Settled,
    question::Question, run::Ticket,
};

/// The result of work that has ended, to be passed to its session.
#[derive(Debug)]
pub struct Ended(pub(super) EndedWork);

#[derive(Debug)]
pub(super) enum EndedWork {
    Execution(ExecutionEnd),
    Operation(OperationEnd),
}

/// The end of an execution, with its result.
#[derive(Debug)]
pub(super) struct ExecutionEnd {
    pub(super) ticket: Ticket,
    pub(super) attempt: u32,
    pub(super) how: How,
}

#[derive(Debug)]
pub(super) enum How {
    /// The execution only computed, so it is not retried.
    Computed(Settled),
    /// The execution finished, and may have had side effects. The second value is the state of the resource around the
    /// execution, if the execution may have changed that resource.
    Performed(Settled, Option<Arc<Value>>),
    /// A person must answer first.
    Waits {
        question: Question,
        value: Arc<Value>,
        time: Option<Box<TimeToAnswer>>,
        /// The input of the execution, which begins again once the answer is known.
        input: Box<NodeInput>,
    },
    /// The execution was cancelled.
    Stopped,
}

/// The host's answer to an operation.
#[derive(Debug)]
pub(super) struct OperationEnd {
    pub(super) path: String,
    pub(super) answer: ScopeAnswer,
}
