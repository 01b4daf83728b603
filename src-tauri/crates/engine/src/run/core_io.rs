//! The inputs of the core, and the effects that it returns.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::ticket::Ticket;
use crate::{
    budget::{CallRequest, Limits},
    journal::{Entry, Override},
    kind::NodeInput,
    outcome::{Settled, Usage},
    plan::Plan,
    question::Question,
    status::RunStatus,
};

/// What happened, for the core.
#[derive(Debug)]
pub enum Input {
    Start,
    /// A node execution ended.
    NodeFinished {
        ticket: Ticket,
        result: Settled,
    },
    /// An execution cannot continue before a person has answered.
    NodeWaiting {
        ticket: Ticket,
        question: Question,
        value: Arc<Value>,
    },
    /// An execution asks whether it may make a call.
    CallRequested {
        ticket: Ticket,
        asked: CallRequest,
    },
    /// A call ended. `known` is false where nothing is known except that it was made.
    CallSettled {
        call: u64,
        usage: Usage,
        known: bool,
    },
    /// A timer fired.
    TimerFired {
        ticket: Ticket,
    },
    /// A person stopped the run.
    Cancel,
    /// The run's own time is over.
    Deadline,
    /// What was done so far is a copy from another run; the place continues by this plan.
    Forked {
        parent: String,
        at: String,
        beyond: bool,
        plan: Arc<Plan>,
        given: Option<Override>,
    },
    /// A person paused the run: what is under way finishes, and nothing is started.
    Pause,
    /// A paused run continues.
    Continue,
    /// The run has another budget.
    Budget(Limits),
    /// Nothing is under way any more in a run whose budget has no room: it ends.
    OverBudget,
    /// The loop at this path ended by its budget in the run that this one is forked from.
    LoopOverBudget {
        path: String,
    },
}

/// What the core wants done, in this order.
#[derive(Debug)]
pub enum Effect {
    /// Record and publish this. It precedes the effect that it announces.
    Record {
        path: String,
        node: Option<NodeIx>,
        entry: Entry,
    },
    /// Execute a node; answer with [`Input::NodeFinished`], or with [`Input::NodeWaiting`] where a person must answer first.
    Execute {
        ticket: Ticket,
        node: NodeIx,
        path: String,
        input: NodeInput,
    },
    /// Make the call that was requested.
    Call { call: u64 },
    /// Start a timer of this many milliseconds; answer with [`Input::TimerFired`].
    Timer {
        ticket: Ticket,
        after_ms: u64,
        /// The timer limits what is under way, and nothing waits for it.
        limit: bool,
    },
    /// Stop what the ticket names; no answer is expected.
    Cancel { ticket: Ticket },
    /// Nothing is left to do.
    Finished { status: RunStatus },
}
