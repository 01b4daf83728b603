//! Budgets in the core: before a call is made, the most that it can cost is reserved in the budget of the run and of every loop
//! around it; when the call has ended, it is settled.
//!
//! Each request is recorded as it arrives, so that a resumed run takes the same decisions. A reservation whose call was
//! cut off stays spent: nobody knows what it cost.

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

/// Why nothing is started.
pub(super) enum Halt {
    /// A person paused the run.
    Paused,
    /// The run's budget has no room for a call of this node.
    OverBudget { node: NodeIx, message: String },
}

/// What a call that never fits has ended.
#[must_use]
pub(super) enum Refused {
    /// The budget of this loop has no room: the loop must end.
    Loop(ScopeId),
    /// The run's budget has no room: nothing is started any more.
    Run,
}

pub(super) struct Budgets {
    /// Calls that ask, and those under way, by number.
    calls: BTreeMap<u64, Call>,
    ledger: BudgetLedger,
    /// Calls ask before they are made, because the run or a loop in it has a budget.
    pub(super) are_set: bool,
    /// Budgets count all that outcomes report. Programs before compatibility 4 counted calls alone.
    charges_outcomes: bool,
    /// Nothing is started.
    pub(super) halt: Option<Halt>,
    /// Paths of the loops that ended by their budgets in the last step.
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

    /// Continues a run that a program of this compatibility began.
    pub(super) fn set_compat(&mut self, compat: u32) {
        self.charges_outcomes = compat >= 4;
    }

    /// Which amounts a quote of calls in this frame must have.
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

    /// The state of the run's budget, where one is set anywhere in it.
    pub(super) fn state(&self) -> Option<BudgetState> {
        self.are_set.then_some(self.ledger.state)
    }

    /// An execution asks whether it may make a call. Returns what its budget ends, where it never fits.
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
        // What is under way in a paused run ends, with all the calls that it makes.
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

    /// How a call fits into all budgets around it, and the outermost into which it never fits (`None` is the run's).
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

    /// `Later` where a call that comes first in plan order waits for room in a budget that is around this one too.
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

    /// Whether what `waiting` waits for is room in the run's budget or in one of `around`.
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

    /// Records something about a call.
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

    /// A call that waited may be made.
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

    /// A call never fits into a budget: what the budget belongs to ends.
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

    /// Serves calls that wait, in plan order, until one never fits. Returns what that one ends.
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

    /// The run has these limits from now on; what they do not name stays as it was. Returns whether a halt was lifted.
    pub(super) fn set_limits(&mut self, tree: &Tree, out: &mut Outbox, limits: Limits) -> bool {
        out.record_run(journal::Input::BudgetSet { limits });
        if !self.are_set {
            // Until now nothing asked.
            self.are_set = true;
            self.ledger.state.spent_microusd = tree.usage.cost_microusd;
            self.ledger.state.spent_tokens = tree.usage.tokens();
        }
        self.ledger.state.limits = limits.or(self.ledger.state.limits);
        self.ledger.breached = false;
        self.lift_if(self.is_over())
    }

    /// The run continues by another plan: its budgets apply from now on, and what was spent before counts. Returns whether
    /// a halt was lifted.
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

    /// A person continues a run that a person paused. Returns whether a halt was lifted.
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

    /// A person pauses the run.
    pub(super) fn pause(&mut self, out: &mut Outbox) {
        if self.halt.is_none() {
            self.halt = Some(Halt::Paused);
            out.record_run(journal::Input::RunPaused);
        }
    }

    /// Whether a person paused the run.
    pub(super) fn is_paused(&self) -> bool {
        matches!(self.halt, Some(Halt::Paused))
    }

    /// Whether the run's budget has no room for what comes next.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.halt, Some(Halt::OverBudget { .. }))
    }

    /// Whether an execution waits for room.
    pub(super) fn blocks_execution(&self, ticket: Ticket) -> bool {
        let mut calls = self.calls.values();
        calls.any(|call| call.ticket == ticket && !call.granted)
    }
}

/// The place of an execution that is not over.
fn place_of(out: &Outbox, ticket: Ticket) -> Option<(FrameId, Slot)> {
    match out.pending.get(ticket)? {
        &Pending::Node { frame, slot, .. } => Some((frame, slot)),
        _ => None,
    }
}
