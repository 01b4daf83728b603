//! From the record of an input to the input of the core.

use std::{borrow::Cow, collections::VecDeque, sync::Arc};

use super::{Input, Ticket, breakpoints::TimerName};
use crate::{
    journal::{self, StopReason},
    plan::Plan,
};

/// An input from a record.
pub(crate) struct ReplayedInput<'r> {
    pub(crate) input: Cow<'r, journal::Input>,
    /// What the timer that fired was for; `None` for other inputs.
    pub(crate) timer: Option<TimerName>,
}

/// The input that the core receives again: `open` is the execution at the record's path, `plans` are the plans that forks continue
/// with. `None` where no execution is open, or where the core does not receive such a record.
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
        },
        Written::ExecutionFailed(failed) => Input::NodeFinished {
            ticket: open?,
            result: Err(failed.error),
        },
        Written::NodeWaiting { question, value } => Input::NodeWaiting {
            ticket: open?,
            question,
            value,
        },
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
        | Written::Noted { .. } => return None,
    })
}
