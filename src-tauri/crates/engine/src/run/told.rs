//! From what is written of an input to what the core is told.

use std::{collections::VecDeque, sync::Arc};

use super::{Input, Ticket};
use crate::{
    journal::{self, StopReason},
    plan::Plan,
};

/// What the core is told again: `open` is the visit at the record's path, `plans` are those that forks go on with. `None` where
/// nothing is open, or where the core is told nothing of it.
pub(super) fn told(
    written: &journal::Input,
    path: &str,
    open: Option<Ticket>,
    plans: &mut VecDeque<Arc<Plan>>,
) -> Option<Input> {
    use journal::Input as Written;
    Some(match written.clone() {
        Written::RunStarted { .. } => Input::Start,
        Written::VisitCompleted(done) => Input::NodeFinished {
            ticket: open?,
            result: Ok(done.outcome),
        },
        Written::VisitFailed(failed) => Input::NodeFinished {
            ticket: open?,
            result: Err(failed.error),
        },
        Written::NodeWaiting { message, value } => Input::NodeWaiting {
            ticket: open?,
            message,
            value,
        },
        Written::TimerRang { ticket } => Input::TimerFired {
            ticket: Ticket(ticket),
        },
        Written::StopRequested { reason } => match reason {
            StopReason::Cancelled => Input::Cancel,
            StopReason::Timeout => Input::Deadline,
            StopReason::BudgetExceeded => Input::OverBudget,
        },
        Written::CallAsked { asked, .. } => Input::CallRequested {
            ticket: open?,
            asked,
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
        Written::VisitRetried(_)
        | Written::NodeAnswered { .. }
        | Written::CallsUnderWay { .. }
        | Written::RunResumed
        | Written::RunTakenOver
        | Written::HostWarned { .. }
        | Written::Noted { .. } => return None,
    })
}
