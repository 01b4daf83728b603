//! Calls that budgets count.

use crate::{
    budget::CallRequest,
    run::{arena::ScopeId, ticket::Ticket},
};

/// A call that is requested or under way.
pub(super) struct Call {
    pub(super) asked: CallRequest,
    pub(super) ticket: Ticket,
    /// The loops with a budget around it, outermost first.
    pub(super) around: Vec<ScopeId>,
    pub(super) granted: bool,
    /// The position of its node in plan order. Waiting calls are sorted by it.
    pub(super) place: Vec<usize>,
}
