//! Calls of a run.

use crate::{
    budget::CallRequest,
    run::{arena::ScopeId, ticket::Ticket},
};

/// A call that asks to be made, or is under way.
pub(super) struct Call {
    pub(super) asked: CallRequest,
    pub(super) ticket: Ticket,
    /// Loops around it that have a budget, outermost first.
    pub(super) around: Vec<ScopeId>,
    pub(super) granted: bool,
    /// The place of its node in plan order, among others that ask at the same time.
    pub(super) place: Vec<usize>,
}
