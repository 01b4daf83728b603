//! The operations on resources that the host was asked to perform, and the executions that wait for them.

use std::collections::{BTreeMap, VecDeque};

use super::attempt::Attempt;
use crate::{
    answer::Answer, cancel::CancellationToken, kind::NodeInput, resources::Resource, run::Ticket,
};

/// An operation on a resource.
pub(super) struct Operation {
    pub(super) what: What,
    pub(super) resource: Resource,
    pub(super) cancel: CancellationToken,
    /// Whether closing the resource was requested in the meantime, so that nothing waits for the answer.
    pub(super) is_abandoned: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Open,
    Reopen,
    Close,
}

/// An execution that waits for a resource.
pub(super) struct Held {
    pub(super) path: String,
    pub(super) ticket: Ticket,
    pub(super) attempt: Attempt,
    pub(super) input: NodeInput,
    pub(super) answer: Option<Box<Answer>>,
}

#[derive(Default)]
pub(super) struct Operations {
    /// The operations of each path. The first one is in progress.
    pub(super) queues: BTreeMap<String, VecDeque<Operation>>,
    pub(super) held: Vec<Held>,
}

impl Operations {
    /// Returns whether an operation is in progress.
    pub(super) fn is_busy(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Drops an execution that waits for a resource.
    pub(super) fn forget(&mut self, ticket: Ticket) {
        self.held.retain(|held| held.ticket != ticket);
    }
}
