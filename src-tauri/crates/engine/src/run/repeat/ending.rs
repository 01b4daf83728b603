//! The reasons why a loop ends, and what it does at a limit.

use loopwright_model::graph::NodeIx;

use super::progress::Stuck;
use crate::{exit::ExitReason, outcome::NodeError};

/// The reason why a loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Met(ExitReason),
    Exhausted(ExitReason),
}

impl Ending {
    pub(super) fn reason(self) -> ExitReason {
        let (Self::Met(reason) | Self::Exhausted(reason)) = self;
        reason
    }

    /// Returns the name of the limit, for messages, if it can end an iteration midway; otherwise `None`.
    pub(super) fn cuts_off(self) -> Option<&'static str> {
        match self.reason() {
            ExitReason::Timeout => Some("a time limit"),
            ExitReason::BudgetExceeded => Some("the budget"),
            _ => None,
        }
    }
}

/// The reason why an iteration does not begin although its frame has been opened.
#[derive(Debug, PartialEq)]
pub(super) enum Obstacle {
    Ends(Ending),
    /// A variable or the condition before the iteration cannot be computed.
    Fails(Box<NodeError>),
}

/// What a loop does when it has reached a limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AtLimit {
    /// The loop fails, because no iteration finished.
    NothingFinished,
    /// The loop fails, because its settings say so.
    Fails,
    /// The loop returns its current result.
    Returns,
}

/// The step that follows the end of a loop, once its resource is closed.
#[derive(Debug, PartialEq)]
pub(in crate::run) enum AfterClose {
    /// The loop returns its result, with the exit reason and whether the loop is exhausted.
    Return(ExitReason, bool),
    Fail(Box<LoopFailure>),
}

/// The failure of a loop.
#[derive(Debug, PartialEq)]
pub(in crate::run) struct LoopFailure {
    pub(super) reason: ExitReason,
    pub(super) exhausted: bool,
    pub(super) error: NodeError,
    /// The node that the error belongs to.
    pub(super) node: NodeIx,
}

/// The step that follows an evaluated iteration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterEvaluation {
    End(Ending),
    Tail,
    /// The loop makes no progress for the first time and continues once. The tail follows.
    Escalate(Stuck),
}
