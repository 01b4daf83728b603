//! Converts recorded inputs to inputs of the core.

use std::{borrow::Cow, collections::VecDeque, sync::Arc};

use super::{Input, Ticket, breakpoints::TimerName};
use crate::{
    journal::{self, StopReason},
    plan::Plan,
};

/// A recorded input of a run, converted for the core.
pub(crate) struct ReplayedInput<'r> {
    pub(crate) input: Cow<'r, journal::Input>,
    /// The purpose of the timer that fired; `None` for other inputs.
    pub(crate) timer: Option<TimerName>,
}

/// Converts a recorded input to the core's input. `open` is the open execution at the record's path, and `plans` are the plans
/// that forks continue with. Returns `None` if a required execution is not open, if no plan is left, or if the core does not
/// receive inputs of this kind.
pub(super) fn core_input(
    written: &journal::Input,
    path: &str,
    open: Option<Ticket>,
    plans: &mut VecDeque<Arc<Plan>>,
) -> Option<Input> {
    use journal::Input as Written;
    Some(match written.clone() {
        Written::RunStarted { .. } => Input::Start,
        Written::ExecutionCompleted(done) => Input::NodeFinished {
            ticket: open?,
            result: Ok(done.outcome),
            state: done.state,
        },
        Written::ExecutionFailed(failed) => Input::NodeFinished {
            ticket: open?,
            result: Err(failed.error),
            state: failed.state,
        },
        Written::ScopeOpened(answer) => Input::ScopeOpened {
            path: path.to_owned(),
            answer,
        },
        Written::ScopeReopened(answer) => Input::ScopeReopened {
            path: path.to_owned(),
            answer,
        },
        Written::ScopeClosed(answer) => Input::ScopeClosed {
            path: path.to_owned(),
            answer,
        },
        Written::NodeWaiting {
            question,
            value,
            expires,
        } => Input::NodeWaiting {
            ticket: open?,
            question,
            value,
            expires,
        },
        Written::ExecutionParked(parked) => Input::NodeParked {
            ticket: open?,
            parked: Box::new(parked),
        },
        Written::ExecutionUnparked => Input::NodeUnparked { ticket: open? },
        Written::TimerFired { ticket } => Input::TimerFired {
            ticket: Ticket(ticket),
        },
        Written::StopRequested { reason } => match reason {
            StopReason::Cancelled => Input::Cancel,
            StopReason::Timeout => Input::Deadline,
            StopReason::BudgetExceeded => Input::OverBudget,
        },
        Written::CallRequested { asked, .. } => Input::CallRequested {
            ticket: open?,
            asked: *asked,
        },
        Written::SpendingRefused { message } => Input::SpendingRefused {
            ticket: open?,
            message,
        },
        Written::CallSettled {
            call, usage, known, ..
        } => Input::CallSettled { call, usage, known },
        Written::BudgetSet { limits } => Input::Budget(limits),
        Written::LoopOverBudget => Input::LoopOverBudget {
            path: path.to_owned(),
        },
        Written::RunPaused => Input::Pause,
        Written::RunContinued => Input::Continue,
        Written::Forked {
            parent,
            at,
            beyond,
            given,
        } => Input::Forked {
            parent,
            at,
            beyond,
            plan: plans.pop_front()?,
            given,
        },
        Written::ExecutionRetried(_)
        | Written::NodeAnswered { .. }
        | Written::CallsUnderWay { .. }
        | Written::RunResumed
        | Written::RunTakenOver
        | Written::HostWarned { .. }
        | Written::AgentWorked(_)
        | Written::ComputerSlept { .. }
        | Written::Noted { .. } => return None,
    })
}
