//! Budgets in the core. Before a call is made, its maximum cost is reserved in the budgets of the run and of every loop around
//! the call. When the call has finished, its real cost replaces the reservation.
//!
//! Each request is recorded as it arrives, so a resumed run makes the same decisions. The reservation of a call that was cut
//! off counts as spent, because its cost is unknown.

mod call;
mod charge;
mod words;

use std::{cmp::Ordering, collections::BTreeMap};

use loopwright_model::graph::NodeIx;

use super::{
    arena::{FrameId, ScopeId},
    core_io::Effect,
    impossible::Stepped,
    outbox::Outbox,
    pending::Pending,
    scope::Scope,
    ticket::Ticket,
    tree::Tree,
};
use crate::{
    budget::{BudgetLedger, BudgetState, CallRequest, Fit, Limits, QuoteNeeds},
    journal::{self, Entry, Fact},
    plan::{Plan, Slot},
};
use call::Call;

/// The reason why a halted run starts no new work.
pub(super) enum Halt {
    /// A person paused the run.
    Paused,
    /// The run's remaining budget, or a budget outside the run, is too small for a call of this node.
    OverBudget { node: NodeIx, message: String },
}

/// A run or loop whose budget cannot cover a call even after other calls return their reservations, so that it must end.
#[must_use]
pub(super) enum Refused {
    /// The remaining budget of this loop is too small: the loop must end.
    Loop(ScopeId),
    /// The run's remaining budget is too small: the run starts nothing more.
    Run,
}

pub(super) struct Budgets {
    /// The requested calls and the calls in progress, by number.
    calls: BTreeMap<u64, Call>,
    ledger: BudgetLedger,
    /// Whether each call must be requested before it is made, because the run or a loop in it has a budget.
    pub(super) are_set: bool,
    /// Whether budgets count all usage that outcomes report. Programs before compatibility 4 counted only calls.
    charges_outcomes: bool,
    /// The reason why the run starts no new work, if it is halted.
    pub(super) halt: Option<Halt>,
    /// The paths of the loops that ended in the last step because of their budgets.
    pub(super) loops_over: Vec<String>,
}

impl Budgets {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            calls: BTreeMap::new(),
            ledger: BudgetLedger::new(plan.budget()),
            are_set: plan.has_budgets(),
            charges_outcomes: true,
            halt: None,
            loops_over: Vec::new(),
        }
    }

    /// Sets the compatibility of the program that began the run.
    pub(super) fn set_compat(&mut self, compat: u32) {
        self.charges_outcomes = compat >= 4;
    }

    /// Returns the amounts that quotes for calls in this frame must contain.
    pub(super) fn wanted(&self, tree: &Tree, frame: FrameId) -> QuoteNeeds {
        let limits = |limits: &Limits| QuoteNeeds {
            money: limits.microusd.is_some(),
            tokens: limits.tokens.is_some(),
        };
        let mut wanted = limits(&self.ledger.state.limits);
        for scope in tree.budgets_around(frame) {
            if let Ok(looping) = tree.looping(scope) {
                let more = limits(&looping.ledger.state.limits);
                wanted.money |= more.money;
                wanted.tokens |= more.tokens;
            }
        }
        wanted
    }

    /// Returns the state of the run's budget, or `None` if neither the run nor a loop in it has a budget.
    pub(super) fn state(&self) -> Option<BudgetState> {
        self.are_set.then_some(self.ledger.state)
    }

    /// Handles an execution's request for a call. If the call can never fit, returns the loop or run whose budget is too
    /// small, which must end. Returns `None` in all other cases.
    pub(super) fn ask(
        &mut self,
        tree: &mut Tree,
        out: &mut Outbox,
        ticket: Ticket,
        asked: CallRequest,
    ) -> Stepped<Option<Refused>> {
        let Some((frame, slot)) = place_of(out, ticket) else {
            return Ok(None);
        };
        let call = Call {
            ticket,
            around: tree.budgets_around(frame),
            granted: false,
            place: tree.place(frame, slot),
            asked,
        };
        let number = call.asked.call;
        // In a paused run, executions in progress finish, including all calls that they make.
        let fits = match self.halt {
            Some(Halt::OverBudget { .. }) => Fit::Later,
            _ => self.fit(tree, &call).0.max(self.behind_others(tree, &call)),
        };
        self.calls.insert(number, call);
        if fits == Fit::Now {
            self.reserve(tree, number);
        }
        self.say(tree, out, number, |asked, budget| {
            journal::Input::CallRequested {
                asked,
                fits,
                budget,
            }
            .into()
        })?;
        match fits {
            Fit::Now => out.push(Effect::Call { call: number }),
            Fit::Later => {}
            Fit::Never => return self.end_of(tree, out, number),
        }
        Ok(None)
    }

    /// Halts the run because a budget outside it is too small for a call of this execution.
    pub(super) fn refuse_spending(
        &mut self,
        tree: &Tree,
        out: &mut Outbox,
        ticket: Ticket,
        message: String,
    ) -> Stepped {
        let Some(at) = place_of(out, ticket) else {
            return Ok(());
        };
        let (node, path) = tree.locate(at)?;
        let refused = journal::Input::SpendingRefused {
            message: message.clone(),
        };
        out.record(path, Some(node), refused);
        if !self.is_over() {
            self.halt = Some(Halt::OverBudget { node, message });
        }
        Ok(())
    }

    /// Returns the worst fit of a call in the budgets around it, and the owner of the outermost budget with that fit (`None`
    /// means the run).
    fn fit(&self, tree: &Tree, call: &Call) -> (Fit, Option<ScopeId>) {
        let mut worst = (self.ledger.fit(&call.asked), None);
        for &scope in &call.around {
            if let Ok(looping) = tree.looping(scope) {
                let fit = looping.ledger.fit(&call.asked);
                if fit > worst.0 {
                    worst = (fit, Some(scope));
                }
            }
        }
        worst
    }

    /// Returns `Later` if a call that is earlier in plan order waits for a budget that this call also needs, otherwise `Now`.
    fn behind_others(&self, tree: &Tree, call: &Call) -> Fit {
        let waits = |other: &Call| {
            !other.granted && other.place < call.place && self.blocks(tree, other, &call.around)
        };
        if self.calls.values().any(waits) {
            Fit::Later
        } else {
            Fit::Now
        }
    }

    /// Returns whether `waiting` waits for the budget of the run or of one of the loops `around`.
    fn blocks(&self, tree: &Tree, waiting: &Call, around: &[ScopeId]) -> bool {
        let is_full = |scope: &ScopeId| {
            let looping = tree.looping(*scope);
            looping.is_ok_and(|looping| looping.ledger.fit(&waiting.asked) != Fit::Now)
        };
        self.ledger.fit(&waiting.asked) != Fit::Now
            || waiting
                .around
                .iter()
                .any(|scope| around.contains(scope) && is_full(scope))
    }

    /// Records an entry about a call, with the state of the run's budget.
    fn say(
        &self,
        tree: &Tree,
        out: &mut Outbox,
        call: u64,
        entry: impl FnOnce(Box<CallRequest>, Box<BudgetState>) -> Entry,
    ) -> Stepped {
        let Some(call) = self.calls.get(&call) else {
            return Ok(());
        };
        let Some(at) = place_of(out, call.ticket) else {
            return Ok(());
        };
        let entry = entry(Box::new(call.asked.clone()), Box::new(self.ledger.state));
        let (node, path) = tree.locate(at)?;
        out.record(path, Some(node), entry);
        Ok(())
    }

    /// Reserves the amounts that a waiting call requested, and permits the call.
    fn grant(&mut self, tree: &mut Tree, out: &mut Outbox, number: u64) -> Stepped {
        self.reserve(tree, number);
        self.say(tree, out, number, |asked, budget| {
            Fact::CallReserved { asked, budget }.into()
        })?;
        out.push(Effect::Call { call: number });
        Ok(())
    }

    fn reserve(&mut self, tree: &mut Tree, number: u64) {
        let Some(call) = self.calls.get_mut(&number) else {
            return;
        };
        call.granted = true;
        self.ledger.reserve(&call.asked);
        for &scope in &call.around {
            if let Ok(looping) = tree.looping_mut(scope) {
                looping.ledger.reserve(&call.asked);
            }
        }
    }

    /// Returns the run or loop whose budget cannot cover the call even after other calls return their reservations. If it is
    /// the run, also halts the run. Returns `None` if the call or its execution is over.
    fn end_of(&mut self, tree: &Tree, out: &Outbox, number: u64) -> Stepped<Option<Refused>> {
        let Some(call) = self.calls.get(&number) else {
            return Ok(None);
        };
        if let (Fit::Never, Some(scope)) = self.fit(tree, call) {
            return Ok(Some(Refused::Loop(scope)));
        }
        let Some((frame, slot)) = place_of(out, call.ticket) else {
            return Ok(None);
        };
        let node = tree.node_at(frame, slot)?;
        let message = words::over_budget(&self.ledger, &tree.plan.nodes[node].title, &call.asked);
        self.halt = Some(Halt::OverBudget { node, message });
        Ok(Some(Refused::Run))
    }

    /// Serves waiting calls in plan order until one can never fit. Returns the loop or run whose budget is too small for
    /// that call, which must end. Returns `None` if there is no such call.
    pub(super) fn serve(&mut self, tree: &mut Tree, out: &mut Outbox) -> Stepped<Option<Refused>> {
        if self.is_over() || self.calls.values().all(|call| call.granted) {
            return Ok(None);
        }
        let mut waiting: Vec<(Vec<usize>, u64)> = self
            .calls
            .iter()
            .filter(|(_, call)| !call.granted)
            .map(|(&number, call)| (call.place.clone(), number))
            .collect();
        waiting.sort_by(|a, b| match a.0.cmp(&b.0) {
            Ordering::Equal => a.1.cmp(&b.1),
            other => other,
        });
        for (_, number) in waiting {
            let Some(call) = self.calls.get(&number) else {
                continue;
            };
            match self.fit(tree, call).0.max(self.behind_others(tree, call)) {
                Fit::Now => self.grant(tree, out, number)?,
                Fit::Later => {}
                Fit::Never => {
                    self.say(tree, out, number, |asked, budget| {
                        Fact::CallRefused { asked, budget }.into()
                    })?;
                    let refused = self.end_of(tree, out, number)?;
                    return Ok(Some(refused.unwrap_or(Refused::Run)));
                }
            }
        }
        Ok(None)
    }

    /// Sets limits of the run. A limit that is missing in `limits` keeps its value. Returns whether a halt was lifted.
    pub(super) fn set_limits(&mut self, tree: &Tree, out: &mut Outbox, limits: Limits) -> bool {
        out.record_run(journal::Input::BudgetSet { limits });
        // A run that has no limits may have been stopped by a budget outside it. Such a run continues without limits.
        if !self.are_set && !limits.is_none() {
            // No call has been requested yet, so the ledger starts with the current usage of the run.
            self.are_set = true;
            self.ledger.state.spent_microusd = tree.usage.cost_microusd;
            self.ledger.state.spent_tokens = tree.usage.tokens();
        }
        self.ledger.state.limits = limits.or(self.ledger.state.limits);
        self.ledger.breached = false;
        self.lift_if(self.is_over())
    }

    /// Applies the budgets of a changed plan. Drops all calls, as on a resume. Earlier usage counts as spent. Returns whether a
    /// halt was lifted.
    pub(super) fn change_plan(&mut self, tree: &mut Tree, out: &mut Outbox) -> bool {
        self.resumed(tree, out);
        self.are_set |= tree.plan.has_budgets();
        self.ledger.state.limits = tree.plan.budget();
        self.ledger.begin_with(&tree.usage);
        for scope in tree.scopes.values_mut() {
            if let Scope::Loop(looping) = scope {
                looping.ledger.state.limits = looping.config.budget;
                looping.ledger.begin_with(&looping.usage);
            }
        }
        self.lift_if(self.is_over())
    }

    /// Lifts the pause of a run. Returns whether the run was paused.
    pub(super) fn unpause(&mut self, out: &mut Outbox) -> bool {
        if self.is_paused() {
            out.record_run(journal::Input::RunContinued);
        }
        self.lift_if(self.is_paused())
    }

    fn lift_if(&mut self, condition: bool) -> bool {
        if condition {
            self.halt = None;
        }
        condition
    }

    /// Pauses the run, unless it is already halted.
    pub(super) fn pause(&mut self, out: &mut Outbox) {
        if self.halt.is_none() {
            self.halt = Some(Halt::Paused);
            out.record_run(journal::Input::RunPaused);
        }
    }

    /// Returns whether a person paused the run.
    pub(super) fn is_paused(&self) -> bool {
        matches!(self.halt, Some(Halt::Paused))
    }

    /// Returns whether the run is halted because its remaining budget is too small for the next call.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.halt, Some(Halt::OverBudget { .. }))
    }

    /// Returns whether an execution waits for a budget.
    pub(super) fn blocks_execution(&self, ticket: Ticket) -> bool {
        let mut calls = self.calls.values();
        calls.any(|call| call.ticket == ticket && !call.granted)
    }
}

/// Returns the frame and the slot of an execution; `None` if the execution is over.
fn place_of(out: &Outbox, ticket: Ticket) -> Option<(FrameId, Slot)> {
    match out.pending.get(ticket)? {
        &Pending::Node { frame, slot, .. } => Some((frame, slot)),
        _ => None,
    }
}
