//! How a loop ends, and what it does at a limit.

use crate::exit::ExitReason;

/// Why a loop ends.
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

    /// A limit that ends an iteration in its middle, in words.
    pub(super) fn cuts_off(self) -> Option<&'static str> {
        match self.reason() {
            ExitReason::Timeout => Some("a time limit"),
            ExitReason::BudgetExceeded => Some("the budget"),
            _ => None,
        }
    }
}

/// What a loop that reached a limit does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AtLimit {
    /// No iteration was finished: it fails.
    NothingFinished,
    /// Its settings say so.
    Fails,
    /// It gives the result that it has.
    Returns,
}

/// What follows an evaluated iteration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterEvaluation {
    End(Ending),
    Tail,
}
