//! The run core: a pure state machine. It receives what happened and returns what to do next.
//!
//! Architecture Invariant: no clock, no randomness, no I/O, no kinds by name. Every input carries the time. Everything else
//! that reaches outside the core is an [`Effect`], answered later by an [`Input`]. The same code runs live, in recovery and in
//! simulation.

mod arena;
mod breakpoints;
mod budgets;
mod clock;
mod compare;
mod core_input;
mod core_io;
mod end;
mod executions;
mod finish;
pub mod fork;
mod forked;
mod frame;
mod holds;
mod impossible;
mod list;
mod loop_resource;
mod names;
mod nodes;
mod open;
mod outbox;
mod parking;
mod pending;
mod plans;
mod rebuild;
pub mod recover;
mod repeat;
pub mod replay;
pub(crate) mod resources;
mod run_inputs;
mod schedule;
mod scope;
mod settle;
mod subflow;
mod teardown;
mod ticket;
mod tree;

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use crate::{
    budget::{BudgetState, QuoteNeeds},
    journal::{self, StopReason},
    named::Named,
    plan::{GraphIx, Plan, Work},
    status::RunStatus,
    warning::Warning,
};
use breakpoints::Breakpoints;
use budgets::{Budgets, Refused};
use clock::Clock;
use end::End;
use holds::Holds;
use impossible::Stepped;
use loop_resource::Closings;
use names::Reader;
use nodes::Nodes;
use outbox::Outbox;
use pending::Pending;
use run_inputs::RunInputs;
use schedule::Schedule;
use tree::{NewFrame, Tree};

pub use crate::exit::{
    ExitChoice, ExitCondition, ExitFamily, ExitNeed, ExitReason, ExitReasonInfo,
};
pub use core_io::{Effect, Input};
pub use plans::Plans;
pub use ticket::Ticket;

/// A run in progress.
///
/// The run passes each input to the part that handles it. It turns the decisions of the frame, loop, list and subflow machines
/// into records, effects and further steps.
pub struct Run {
    tree: Tree,
    schedule: Schedule,
    out: Outbox,
    budgets: Budgets,
    breakpoints: Breakpoints,
    clock: Clock,
    holds: Holds,
    inputs: Named,
    outputs: Named,
    /// The value of the node at which the run ends, once that node is settled. The inner value is `None` if the node was
    /// skipped.
    reached: Option<Option<Arc<Value>>>,
    /// The resources that are being closed. The run does not end before all of them are closed.
    closings: Closings,
    /// How the run ends. Set only while the run waits for its resources to be closed.
    ending: Option<End>,
    /// Whether the next inputs were recorded in another store.
    is_importing: bool,
    status: Option<RunStatus>,
}

impl Run {
    /// Creates a run of `plan` with these inputs, by name. The run is not started yet.
    pub fn new(plan: Arc<Plan>, inputs: Map<String, Value>) -> Self {
        Self {
            schedule: Schedule::default(),
            out: Outbox::new(&plan.warnings),
            budgets: Budgets::new(&plan),
            breakpoints: Breakpoints::default(),
            clock: Clock::default(),
            holds: Holds::default(),
            inputs: inputs.into(),
            outputs: Named::default(),
            reached: None,
            closings: Closings::default(),
            ending: None,
            is_importing: false,
            status: None,
            tree: Tree::new(plan),
        }
    }

    /// Returns whether the run waits for a person's answer.
    pub fn is_asking(&self) -> bool {
        self.schedule.has_questions()
    }

    /// Returns the status of the run, or `None` before the run is over.
    pub fn status(&self) -> Option<RunStatus> {
        self.status
    }

    /// Sets the total time for which the run was suspended, in milliseconds. The clock that templates read includes this time.
    pub fn set_suspended_ms(&mut self, suspended_ms: i64) {
        self.clock.suspended_ms = suspended_ms;
    }

    /// Adds a warning from the host. Returns `false` if the run already has it.
    pub fn add_warning(&mut self, warning: Warning) -> bool {
        self.out.add_warning(warning)
    }

    /// Returns the warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        self.out.warnings()
    }

    /// Returns whether an execution must request each call before it makes the call.
    pub fn has_budgets(&self) -> bool {
        self.budgets.are_set
    }

    /// Returns the node of an execution and the amounts that quotes of its calls must contain, or `None` if the execution is
    /// over.
    pub fn wanted(&self, ticket: Ticket) -> Option<(NodeIx, QuoteNeeds)> {
        let Some(&Pending::Node { frame, slot, .. }) = self.out.pending.get(ticket) else {
            return None;
        };
        let node = self.tree.node_at(frame, slot).ok()?;
        Some((node, self.budgets.wanted(&self.tree, frame)))
    }

    /// Returns the state of the run's budget, or `None` if neither the run nor a loop in it has a budget.
    pub fn budget(&self) -> Option<BudgetState> {
        self.budgets.state()
    }

    /// Drops the open calls when the run is resumed. The outcome of calls in progress is unknown, so their reservations count
    /// as spent. Waiting calls are requested again.
    pub fn resumed(&mut self) {
        self.budgets.resumed(&mut self.tree, &mut self.out);
    }

    /// Returns whether a person paused the run.
    pub fn is_paused(&self) -> bool {
        self.budgets.is_paused()
    }

    /// Returns whether the run is halted because its remaining budget is too small for the next call.
    pub fn is_over_budget(&self) -> bool {
        self.budgets.is_over()
    }

    /// Returns whether the run is halted and no execution is working. Executions that wait for a person, for a quota or for the
    /// used-up budget do not count as working. `is_answered` returns whether an execution continues because its question was
    /// answered, which the core does not know.
    pub fn is_idle(&self, is_answered: impl Fn(Ticket) -> bool) -> bool {
        let is_over = self.is_over_budget();
        let busy = |(ticket, pending): (Ticket, &Pending)| {
            matches!(pending, Pending::Node { .. })
                && (!self.schedule.is_asking(ticket) || is_answered(ticket))
                && !self.schedule.is_parked(ticket)
                && !(is_over && self.budgets.blocks_execution(ticket))
        };
        self.budgets.halt.is_some() && !self.out.pending.iter().any(busy)
    }

    /// Processes one input and appends the resulting effects to `effects`. `now` is in milliseconds since the Unix epoch, minus
    /// the time for which the run was suspended.
    pub fn step(&mut self, now: i64, input: Input, effects: &mut Vec<Effect>) {
        self.clock.begin_step(now);
        self.budgets.loops_over.clear();
        if self.status.is_none() {
            let stepped = self.receive(input).and_then(|()| self.proceed());
            if let Err(impossible) = stepped
                && self.status.is_none()
            {
                self.end_broken(impossible);
            }
        }
        let (tree, out) = (&self.tree, &mut self.out);
        self.holds.follow(&self.schedule, tree, out, self.clock.now);
        self.out.drain_into(effects);
    }

    fn receive(&mut self, input: Input) -> Stepped {
        match input {
            Input::Start => self.start(),
            // A run that is ending only waits for the host's answers about closing resources.
            Input::ScopeClosed { path, answer } => self.scope_closed(path, answer),
            _ if self.ending.is_some() => Ok(()),
            Input::ScopeOpened { path, answer } => self.scope_opened(path, answer, false),
            Input::ScopeReopened { path, answer } => self.scope_opened(path, answer, true),
            Input::NodeFinished {
                ticket,
                result,
                state,
            } => self.executed(ticket, result, state),
            Input::NodeWaiting {
                ticket,
                question,
                value,
                expires,
            } => self.nodes().waits(ticket, question, value, expires),
            Input::NodeParked { ticket, parked } => self.nodes().park(ticket, *parked),
            Input::NodeUnparked { ticket } => self.nodes().unpark(ticket),
            Input::CallRequested { ticket, asked } => {
                let (tree, out) = (&mut self.tree, &mut self.out);
                let refused = self.budgets.ask(tree, out, ticket, asked)?;
                refused.map_or(Ok(()), |refused| self.end_refused(refused))
            }
            Input::SpendingRefused { ticket, message } => {
                let (tree, out) = (&self.tree, &mut self.out);
                self.budgets.refuse_spending(tree, out, ticket, message)
            }
            Input::CallSettled { call, usage, known } => {
                let (tree, out) = (&mut self.tree, &mut self.out);
                self.budgets.settle(tree, out, call, usage, known)
            }
            Input::TimerFired { ticket } => self.timer_fired(ticket),
            Input::Pause => {
                self.budgets.pause(&mut self.out);
                Ok(())
            }
            Input::Continue => {
                let lifted = self.budgets.unpause(&mut self.out);
                self.nodes().release(lifted)
            }
            Input::Budget(limits) => {
                let (tree, out) = (&self.tree, &mut self.out);
                let lifted = self.budgets.set_limits(tree, out, limits);
                self.nodes().release(lifted)
            }
            Input::OverBudget => self.stop(StopReason::BudgetExceeded),
            Input::LoopOverBudget { path } => self.loop_was_over_budget(path),
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
    }

    fn start(&mut self) -> Stepped {
        self.clock.started_at = self.clock.now;
        self.out.record_run(journal::Input::RunStarted {
            name: self.tree.plan.name.clone(),
            inputs: self.inputs.clone(),
            compat: journal::COMPAT,
        });
        let new = NewFrame {
            graph: 0,
            owner: None,
            prefix: String::new(),
            input: Arc::new(Value::Null),
            index: 0,
            given: RunInputs::new(in_effect(&self.tree.plan, 0, &self.inputs)),
        };
        let frame = self.tree.open_frame(new, self.clock.now);
        self.schedule.begin(&mut self.tree, frame)
    }

    /// Steps the core until it can only wait for further inputs.
    fn proceed(&mut self) -> Stepped {
        loop {
            if self.status.is_some() || self.ending.is_some() {
                self.schedule.clear();
                return Ok(());
            }
            if let Some(value) = self.reached.take() {
                self.complete_until(value)?;
            } else if let Some((frame, slot)) = self.schedule.turn.pop_front() {
                self.take_turn(frame, slot)?;
            } else if let Some(frame) = self.schedule.closing.pop_front() {
                self.close_frame(frame)?;
            } else if let Some(refused) = self.budgets.serve(&mut self.tree, &mut self.out)? {
                self.end_refused(refused)?;
            } else if !self.nodes().fill_places()? {
                return Ok(());
            }
        }
    }

    fn timer_fired(&mut self, ticket: Ticket) -> Stepped {
        let Some(timer) = self.out.pending.remove(ticket) else {
            return Ok(());
        };
        self.out
            .record_run(journal::Input::TimerFired { ticket: ticket.0 });
        match timer {
            Pending::Delay { scope } => {
                let input = self.tree.looping_mut(scope)?.awake()?;
                self.begin_iteration(scope, input)
            }
            Pending::LoopTimeout { scope } => self.loop_timed_out(scope, None),
            Pending::IterationTimeout { scope, index } => self.loop_timed_out(scope, Some(index)),
            Pending::SubflowTimeout { scope } => self.subflow_timed_out(scope),
            Pending::SubflowPause { scope } => {
                self.tree.subflow_mut(scope)?.awake()?;
                self.begin_attempt(scope)
            }
            Pending::Node { .. } => Ok(()),
        }
    }

    /// Ends the loop whose budget can never cover a call. If the run's own budget is too small, does nothing, because the run
    /// is already halted.
    fn end_refused(&mut self, refused: Refused) -> Stepped {
        match refused {
            Refused::Loop(scope) => self.loop_over_budget(scope),
            Refused::Run => Ok(()),
        }
    }

    /// Ends the loop at `path` because its budget was used up in the run from which this one is forked.
    fn loop_was_over_budget(&mut self, path: String) -> Stepped {
        let Some(scope) = self.tree.loop_at(&path) else {
            return Ok(());
        };
        let (frame, slot) = self.tree.looping(scope)?.place.at;
        let node = self.tree.node_at(frame, slot)?;
        self.out
            .record(path, Some(node), journal::Input::LoopOverBudget);
        self.loop_over_budget(scope)
    }

    fn nodes(&mut self) -> Nodes<'_> {
        Nodes {
            is_halted: self.budgets.halt.is_some(),
            tree: &mut self.tree,
            out: &mut self.out,
            schedule: &mut self.schedule,
            clock: &self.clock,
            outputs: &mut self.outputs,
            reached: &mut self.reached,
        }
    }

    fn reader(&self) -> Reader<'_> {
        Reader {
            tree: &self.tree,
            clock: &self.clock,
        }
    }
}

/// Returns `inputs` with missing values filled in: the default of the input, or `null` for an optional input. A required input
/// without a default remains missing. `graph` must be a whole flow.
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
