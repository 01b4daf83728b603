//! Calls that budgets count.

use crate::{
    budget::CallRequest,
    run::{arena::ScopeId, ticket::Ticket},
};

/// A call that is requested or in progress.
pub(super) struct Call {
    pub(super) asked: CallRequest,
    pub(super) ticket: Ticket,
    /// The loops around the call that have a budget, outermost first.
    pub(super) around: Vec<ScopeId>,
    pub(super) granted: bool,
    /// The position of the call's node in plan order. Waiting calls are sorted by this position.
    pub(super) place: Vec<usize>,
}
