//! Calls of a run, and why nothing is started.

use loopwright_model::graph::NodeIx;

use super::{arena::ScopeId, ticket::Ticket};
use crate::budget::CallRequest;

/// A call that asks to be made, or is under way.
pub(super) struct Call {
    pub(super) asked: CallRequest,
    pub(super) ticket: Ticket,
    /// Loops around it that have a budget, outermost first.
    pub(super) around: Vec<ScopeId>,
    pub(super) granted: bool,
    /// Where its node stands among others that ask at the same time.
    pub(super) place: Vec<usize>,
}

/// Why nothing is started.
pub(super) enum Halt {
    /// A person wants it so.
    Paused,
    /// The run's budget has no room for a call of this node.
    OverBudget { node: NodeIx, message: String },
}
