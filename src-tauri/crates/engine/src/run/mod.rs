//! The run core: a pure state machine. It receives what happened and returns what to do next.
//!
//! Architecture Invariant: no clock, no randomness, no I/O, no kinds by name. Time comes in with every input; everything
//! else that touches the world is an [`Effect`], answered later by an [`Input`]. The same code runs live, in recovery and
//! in simulation.

mod arena;
mod breakpoint;
mod breakpoints;
mod budget;
mod call;
mod compare;
mod core_input;
mod core_io;
mod executions;
pub mod fork;
mod frame;
mod frames;
mod list;
mod memory;
mod open;
mod pending;
mod plans;
mod rebuild;
pub mod recover;
mod repeat;
pub mod replay;
mod run_inputs;
mod scope;
mod scope_state;
mod settle;
mod subflow;
mod ticket;
mod unbounded;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, OnceLock},
};

use loopwright_model::{graph::NodeIx, meter};
use serde_json::{Map, Value};

use crate::{
    budget::BudgetLedger,
    journal::{self, Entry, Fact, StopReason},
    named::Named,
    outcome::{NodeError, Outcome, Usage},
    plan::{GraphIx, Plan, Slot, Work},
    status::RunStatus,
    tickets::Tickets,
    warning::Warning,
};
use arena::{Arena, FrameId, ScopeId};
use breakpoint::Breakpoint;
use call::{Call, Halt};
use frame::{Frame, SlotState};
use pending::Pending;
use run_inputs::RunInputs;
use scope_state::Scope;

pub use crate::exit::{
    ExitChoice, ExitCondition, ExitFamily, ExitNeed, ExitReason, ExitReasonInfo,
};
pub use core_io::{Effect, Input};
pub use plans::Plans;
pub use ticket::Ticket;

/// A run in progress.
pub struct Run {
    pub(crate) plan: Arc<Plan>,
    inputs: Named,
    frames: Arena<FrameId, Frame>,
    scopes: Arena<ScopeId, Scope>,
    pending: Tickets<Pending>,
    next_ticket: u64,
    /// Nodes whose turn it is.
    turn: VecDeque<(FrameId, Slot)>,
    /// Frames whose nodes are all settled, to be closed once nobody's turn is left.
    closing: VecDeque<FrameId>,
    /// Executions with side effects under way, and those that wait for a place, in plan order.
    effects_running: usize,
    effects_waiting: BTreeSet<(FrameId, Slot)>,
    /// Executions that wait for a person; they count for no limit of concurrency.
    asking: BTreeSet<Ticket>,
    /// Calls that ask, and those under way, by number.
    calls: BTreeMap<u64, Call>,
    ledger: BudgetLedger,
    /// Calls ask before they are made, for the run or a loop in it has a budget.
    has_budgets: bool,
    /// Budgets count all that outcomes report. Programs before compatibility 4 counted calls alone.
    charges_outcomes: bool,
    /// Nothing is started.
    halt: Option<Halt>,
    outputs: Named,
    warnings: Vec<Warning>,
    /// Hashes of the warnings: a list may have one for each of its items.
    warned: HashSet<u64>,
    usage: Usage,
    started_at: i64,
    now: i64,
    /// What the thread's meter showed when the step began.
    step_began: u64,
    /// How far the clock is ahead of the run's own time, which stands still while nothing runs, in milliseconds.
    suspended_ms: i64,
    /// Places that a fork changes: the run stops there until it has.
    breakpoints: Vec<Breakpoint>,
    /// What stands for the next execution there.
    given: Option<(FrameId, Slot, Arc<Outcome>)>,
    /// The node that the run goes as far as is settled, with this value.
    reached: Option<Option<Arc<Value>>>,
    /// Paths of the loops that ended by their budgets in the last step.
    loops_over_budget: Vec<String>,
    out: Vec<Effect>,
    status: Option<RunStatus>,
    /// A state that cannot be, which the run has come to.
    broken: OnceLock<&'static str>,
}

impl Run {
    /// A run of `plan` on `inputs` (by input name), not started yet.
    pub fn new(plan: Arc<Plan>, inputs: Map<String, Value>) -> Self {
        let limits = plan.budget();
        let has_budgets = plan.has_budgets();
        Self {
            warned: plan.warnings.iter().map(hash).collect(),
            warnings: plan.warnings.clone(),
            plan,
            inputs: inputs.into(),
            frames: Arena::default(),
            scopes: Arena::default(),
            pending: Tickets::default(),
            next_ticket: 0,
            turn: VecDeque::new(),
            closing: VecDeque::new(),
            effects_running: 0,
            effects_waiting: BTreeSet::new(),
            asking: BTreeSet::new(),
            calls: BTreeMap::new(),
            ledger: BudgetLedger::new(limits),
            has_budgets,
            charges_outcomes: true,
            halt: None,
            outputs: Named::default(),
            usage: Usage::default(),
            started_at: 0,
            now: 0,
            step_began: 0,
            suspended_ms: 0,
            breakpoints: Vec::new(),
            given: None,
            reached: None,
            loops_over_budget: Vec::new(),
            out: Vec::new(),
            status: None,
            broken: OnceLock::new(),
        }
    }

    /// The run has come to a state that cannot be, a defect of this program: it fails at the end of the step, rather than going
    /// on with what nobody thought of.
    fn impossible(&self, what: &'static str) {
        // The first says where it began.
        let _ = self.broken.set(what);
    }

    fn end_broken(&mut self, what: &str) {
        for ticket in std::mem::take(&mut self.pending).drain() {
            self.out.push(Effect::Cancel { ticket });
        }
        self.turn.clear();
        self.closing.clear();
        self.effects_waiting.clear();
        let message = format!(
            "The run reached a state that cannot be: {what}. This is a defect of Loopwright; please report it with the run's \
             export. What was done so far is kept."
        );
        self.fail_run(RunStatus::Failed, NodeError::new("internal", message), None);
    }

    /// Whether a person's answer is waited for.
    pub fn is_asking(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The status once the run is over.
    pub fn status(&self) -> Option<RunStatus> {
        self.status
    }

    /// Tells how many milliseconds nothing ran so far: what a flow reads of the time is the clock's.
    pub fn set_suspended_ms(&mut self, suspended_ms: i64) {
        self.suspended_ms = suspended_ms;
    }

    /// Takes one input at time `now` (milliseconds since the Unix epoch, less what the run stood still) and appends what to do to `effects`.
    pub fn step(&mut self, now: i64, input: Input, effects: &mut Vec<Effect>) {
        self.now = now;
        self.step_began = meter::work();
        self.loops_over_budget.clear();
        if self.status.is_none() {
            match input {
                Input::Start => self.start(),
                Input::NodeFinished { ticket, result } => self.executed(ticket, result),
                Input::NodeWaiting {
                    ticket,
                    question,
                    value,
                } => self.waits(ticket, question, value),
                Input::CallRequested { ticket, asked } => self.call_asks(ticket, asked),
                Input::CallSettled { call, usage, known } => self.call_settled(call, usage, known),
                Input::TimerFired { ticket } => self.timer_fired(ticket),
                Input::Pause => self.pause(),
                Input::Continue => self.unpause(),
                Input::Budget(limits) => self.set_budget(limits),
                Input::OverBudget => self.stop(StopReason::BudgetExceeded),
                Input::LoopOverBudget { path } => self.loop_was_over_budget(&path),
                Input::Cancel => self.stop(StopReason::Cancelled),
                Input::Deadline => self.stop(StopReason::Timeout),
                Input::Forked {
                    parent,
                    at,
                    beyond,
                    plan,
                    given,
                } => self.fork(parent, at, beyond, plan, given),
            }
            self.proceed();
            if let Some(what) = self.broken.take()
                && self.status.is_none()
            {
                self.end_broken(what);
            }
        }
        if effects.is_empty() {
            // It was empty before, too: the two change places, and nothing is moved.
            std::mem::swap(effects, &mut self.out);
        } else {
            effects.append(&mut self.out);
        }
    }

    fn start(&mut self) {
        self.started_at = self.now;
        self.record(
            String::new(),
            None,
            journal::Input::RunStarted {
                name: self.plan.name.clone(),
                inputs: self.inputs.clone(),
                compat: journal::COMPAT,
            },
        );
        let given = RunInputs::new(in_effect(&self.plan, 0, &self.inputs));
        let frame = self.open_frame(0, None, String::new(), Arc::new(Value::Null), 0, given);
        self.begin_frame(frame);
    }

    /// Continues until everything waits for the outside.
    fn proceed(&mut self) {
        loop {
            if self.status.is_some() || self.broken.get().is_some() {
                self.turn.clear();
                self.closing.clear();
                return;
            }
            if let Some(value) = self.reached.take() {
                self.complete_until(value);
            } else if let Some((frame, slot)) = self.turn.pop_front() {
                self.take_turn(frame, slot);
            } else if let Some(frame) = self.closing.pop_front() {
                self.close_frame(frame);
            } else if !self.serve_calls() {
                self.fill_places();
                return;
            }
        }
    }

    /// All nodes of a frame (or of its tail) are settled.
    fn close_frame(&mut self, frame: FrameId) {
        if self.stop_evaluation(frame) {
            return;
        }
        let Some(state) = self.frames.get(frame) else {
            return;
        };
        match state.scope {
            None => self.complete_run(),
            Some(scope) => match self.scopes.get(scope) {
                Some(Scope::Loop(_)) => self.loop_frame_done(scope, frame),
                Some(Scope::List(_)) => self.item_done(scope, frame),
                Some(Scope::Subflow(_)) => self.subflow_done(scope, frame),
                None => self.impossible("a frame is closed whose scope is over"),
            },
        }
    }

    /// The node that the run goes as far as is settled: what continues besides ends, and its value is what comes out.
    fn complete_until(&mut self, value: Option<Arc<Value>>) {
        let plan = Arc::clone(&self.plan);
        let Some(node) = plan.until else { return };
        let reason = NodeError::cancelled(format!(
            "The run was to go as far as \"{}\".",
            plan.nodes[node].title
        ));
        self.drop_frame(FrameId::ROOT, ExitReason::Cancelled, &reason);
        match value {
            Some(value) => {
                let name = match &plan.nodes[node].work {
                    Work::Output { name } => name.clone(),
                    _ => plan.nodes[node].id.to_string(),
                };
                self.outputs = Named::default();
                self.complete_with([(name, value)].into_iter().collect());
            }
            None => self.complete_run(),
        }
    }

    fn complete_run(&mut self) {
        if let Some(node) = self.plan.until {
            self.warn(
                "not_reached",
                node,
                format!(
                    "The run was to end at \"{}\", which did not run: a branch before it was not taken, or its loop ended before.",
                    self.plan.nodes[node].title
                ),
            );
        }
        // In the order of the document, whichever came first.
        let mut outputs = Named::default();
        for node in self.plan.nodes.iter() {
            if node.graph == 0
                && let Work::Output { name } = &node.work
                && let Some(value) = self.outputs.get(name)
            {
                outputs.insert(name, Arc::clone(value));
            }
        }
        self.complete_with(outputs);
    }

    fn complete_with(&mut self, outputs: Named) {
        self.record(
            String::new(),
            None,
            Fact::RunCompleted {
                outputs,
                duration_ms: self.elapsed(self.started_at),
                usage: Box::new(self.usage),
                warnings: self.warnings.clone(),
            },
        );
        self.finish(RunStatus::Completed);
    }

    /// Ends the run from outside: everything under way is cancelled and said to be.
    fn stop(&mut self, reason: StopReason) {
        let (status, exit, code, message, node) = match (reason, &self.halt) {
            (StopReason::Cancelled, _) => (
                RunStatus::Cancelled,
                ExitReason::Cancelled,
                "cancelled",
                "The run was stopped.".to_owned(),
                None,
            ),
            (StopReason::Timeout, _) => (
                RunStatus::Failed,
                ExitReason::Timeout,
                "timeout",
                "The run took longer than its timeout. Raise `timeout` in Workflow settings."
                    .to_owned(),
                None,
            ),
            (StopReason::BudgetExceeded, Some(Halt::OverBudget { node, message })) => (
                RunStatus::Failed,
                ExitReason::BudgetExceeded,
                "budget_exceeded",
                message.clone(),
                Some(*node),
            ),
            // It does not rest at its budget.
            (StopReason::BudgetExceeded, _) => return,
        };
        self.record(
            String::new(),
            None,
            journal::Input::StopRequested { reason },
        );
        if self.frames.get(FrameId::ROOT).is_some() {
            self.drop_frame(FrameId::ROOT, exit, &NodeError::cancelled(message.clone()));
        }
        self.fail_run(status, NodeError::new(code, message), node);
    }

    fn fail_run(&mut self, status: RunStatus, error: NodeError, node: Option<NodeIx>) {
        self.record(
            String::new(),
            node,
            Fact::RunFailed {
                status,
                error: Box::new(error),
                duration_ms: self.elapsed(self.started_at),
                usage: Box::new(self.usage),
                warnings: self.warnings.clone(),
            },
        );
        self.finish(status);
    }

    fn finish(&mut self, status: RunStatus) {
        self.status = Some(status);
        self.out.push(Effect::Finished { status });
    }

    fn timer_fired(&mut self, ticket: Ticket) {
        if self.pending.get(ticket).is_some() {
            self.record(
                String::new(),
                None,
                journal::Input::TimerFired { ticket: ticket.0 },
            );
        }
        match self.pending.remove(ticket) {
            Some(Pending::Delay { scope }) => self.after_delay(scope),
            Some(Pending::LoopTimeout { scope }) => self.loop_timed_out(scope, None),
            Some(Pending::IterationTimeout { scope, index }) => {
                self.loop_timed_out(scope, Some(index))
            }
            Some(Pending::SubflowTimeout { scope }) => self.subflow_timed_out(scope),
            Some(Pending::SubflowPause { scope }) => self.begin_attempt(scope),
            Some(Pending::Node { .. }) | None => {}
        }
    }

    fn ticket(&mut self, pending: Pending) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.pending.insert(ticket, pending);
        ticket
    }

    fn timer(&mut self, pending: Pending, after_ms: u64) -> Ticket {
        let limit = !matches!(
            pending,
            Pending::Delay { .. } | Pending::SubflowPause { .. }
        );
        let ticket = self.ticket(pending);
        self.out.push(Effect::Timer {
            ticket,
            after_ms,
            limit,
        });
        ticket
    }

    fn record(&mut self, path: String, node: Option<NodeIx>, entry: impl Into<Entry>) {
        self.out.push(Effect::Record {
            path,
            node,
            entry: entry.into(),
        });
    }

    /// Adds a warning once.
    fn warn(&mut self, code: &str, node: NodeIx, message: String) {
        let warning = Warning {
            code: code.to_owned(),
            node: Some(self.plan.nodes[node].place.to_string()),
            message,
        };
        if self.add_warning(warning.clone()) {
            let path = self.plan.nodes[node].place.to_string();
            let warning = Box::new(warning);
            self.record(path, Some(node), Fact::Warned { warning });
        }
    }

    /// Adds a warning of the host's once; `false` when it is there already.
    pub fn add_warning(&mut self, warning: Warning) -> bool {
        let is_new = self.warned.insert(hash(&warning)) || !self.warnings.contains(&warning);
        if is_new {
            self.warnings.push(warning);
        }
        is_new
    }

    /// The warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn elapsed(&self, since: i64) -> u64 {
        u64::try_from(self.now.saturating_sub(since)).unwrap_or(0)
    }

    fn outcome(&self, frame: FrameId, slot: Slot) -> Option<&Arc<Outcome>> {
        match &self.frames.get(frame)?.slots[slot] {
            SlotState::Done(outcome) => Some(outcome),
            _ => None,
        }
    }
}

fn hash(warning: &Warning) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&warning.code, &warning.node, &warning.message).hash(&mut hasher);
    hasher.finish()
}

/// What each input of `graph`, a whole flow, gives on `inputs`; one that is required and missing gives nothing.
fn in_effect(plan: &Plan, graph: GraphIx, inputs: &Named) -> Named {
    let mut all = inputs.clone();
    for &node in &plan.graphs[graph].members {
        let node = &plan.nodes[node];
        if let Work::Input {
            name,
            default,
            required,
        } = &node.work
            && all.get(name).is_none()
            && (default.is_some() || !required)
        {
            all.insert(name, Arc::new(default.clone().unwrap_or_default()));
        }
    }
    all
}
