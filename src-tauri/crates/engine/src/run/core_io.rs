//! The inputs of the core, and the effects that it emits.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::ticket::Ticket;
use crate::{
    answer::Expiry,
    budget::{CallRequest, Limits},
    journal::{Entry, Override, Parked, ScopeAnswer},
    kind::NodeInput,
    outcome::{Settled, Usage},
    plan::Plan,
    question::Question,
    resources::Resource,
    status::RunStatus,
};

/// An input of the core, which reports what happened.
#[derive(Debug)]
pub enum Input {
    Start,
    /// A node execution finished. `state` is the state of the resource around the node, if the node may have changed it.
    NodeFinished {
        ticket: Ticket,
        result: Settled,
        state: Option<Arc<Value>>,
    },
    /// An execution cannot continue until a person answers a question.
    NodeWaiting {
        ticket: Ticket,
        question: Question,
        value: Arc<Value>,
        expires: Option<Box<Expiry>>,
    },
    /// A quota is used up. The execution begins again when the quota resets.
    NodeParked {
        ticket: Ticket,
        parked: Box<Parked>,
    },
    /// The wait of a parked execution is over. The host begins the execution again.
    NodeUnparked {
        ticket: Ticket,
    },
    /// An execution requests a call.
    CallRequested {
        ticket: Ticket,
        asked: CallRequest,
    },
    /// A budget outside the run cannot cover a call of this execution. `message` names the budget.
    SpendingRefused {
        ticket: Ticket,
        message: String,
    },
    /// A call finished. If `known` is `false`, its usage is unknown; only the fact that it was made is known.
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
    /// The run reached its time limit.
    Deadline,
    /// The run is forked: all records so far are copied from the run `parent`, and the run continues at the path `at` with this
    /// plan.
    Forked {
        parent: String,
        at: String,
        beyond: bool,
        plan: Arc<Plan>,
        given: Option<Override>,
    },
    /// A person paused the run. Steps in progress finish, and no new step starts.
    Pause,
    /// A paused run continues.
    Continue,
    /// The budget of the run has changed.
    Budget(Limits),
    /// The run reached its budget and its last step in progress has finished, so the run ends.
    OverBudget,
    /// In the run from which this one is forked, the loop at this path ended because of its budget.
    LoopOverBudget {
        path: String,
    },
    /// The resource of the loop at this path was opened, or could not be opened.
    ScopeOpened {
        path: String,
        answer: ScopeAnswer,
    },
    /// The resource of the loop at this path was opened again, or could not be opened again.
    ScopeReopened {
        path: String,
        answer: ScopeAnswer,
    },
    /// The resource of the loop at this path was closed, or could not be closed. The answers for one path arrive in the order
    /// of the requests.
    ScopeClosed {
        path: String,
        answer: ScopeAnswer,
    },
}

/// An effect that the core requests. Effects are performed in order.
#[derive(Debug)]
pub enum Effect {
    /// Record and publish this entry. The entry precedes the effect that it announces.
    Record {
        path: String,
        node: Option<NodeIx>,
        entry: Entry,
    },
    /// Execute a node; answer with [`Input::NodeFinished`], or with [`Input::NodeWaiting`] if a person must answer first.
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
        /// Whether the timer is a time limit. The run does not wait for time limits.
        limit: bool,
    },
    /// Hold this time limit, because an execution inside it is parked.
    HoldTimer { ticket: Ticket },
    /// Continue this time limit with the time that was left when it was held.
    ReleaseTimer { ticket: Ticket },
    /// Stop the execution or timer with this ticket; no answer is expected.
    Cancel { ticket: Ticket },
    /// Open the resource of the loop at this path; answer with [`Input::ScopeOpened`].
    OpenScope { resource: Resource },
    /// Close the resource of the loop at this path; answer with [`Input::ScopeClosed`]. If the request to open the resource has
    /// not been answered yet, no answer to it follows: the host removes what it has created so far.
    CloseScope { resource: Resource },
    /// The run is over.
    Finished { status: RunStatus },
}
