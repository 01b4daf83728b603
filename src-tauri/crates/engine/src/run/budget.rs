//! Budgets in the core: before a call is made, the most that it can cost is reserved in the budget of the run and of every loop
//! around it; when the call has ended, it is settled.
//!
//! Each request is recorded as it arrives, so that a run that is resumed takes the same decisions. A reservation whose call was
//! cut off stays spent: nobody knows what it cost.

use std::cmp::Ordering;

use loopwright_model::graph::NodeIx;

use super::{
    Effect, Pending, Run, Scope, Ticket,
    arena::{FrameId, ScopeId},
    call::{Call, Halt},
    frame::SlotState,
};
use crate::{
    budget::{BudgetState, CallRequest, Fit, Limits, QuoteNeeds, dollars},
    journal::{self, Entry, Fact},
    outcome::Usage,
    plan::Slot,
};

impl Run {
    /// Whether calls must ask before they are made.
    pub fn has_budgets(&self) -> bool {
        self.has_budgets
    }

    /// Which amounts a quote of the execution's calls must have; `None` when the execution is over.
    pub fn wanted(&self, ticket: Ticket) -> Option<(NodeIx, QuoteNeeds)> {
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(ticket) else {
            return None;
        };
        let limits = |limits: &Limits| QuoteNeeds {
            money: limits.microusd.is_some(),
            tokens: limits.tokens.is_some(),
        };
        let mut wanted = limits(&self.ledger.state.limits);
        for scope in self.budgets_around(frame) {
            if let Some(Scope::Loop(looping)) = self.scopes.get(scope) {
                let more = limits(&looping.ledger.state.limits);
                wanted.money |= more.money;
                wanted.tokens |= more.tokens;
            }
        }
        Some((self.node_at(frame, slot), wanted))
    }

    /// How the run's budget stands, where one is set anywhere in it.
    pub fn budget(&self) -> Option<BudgetState> {
        self.has_budgets.then_some(self.ledger.state)
    }

    /// The scopes of loops with a budget around a frame, outermost first.
    pub(super) fn budgets_around(&self, frame: FrameId) -> Vec<ScopeId> {
        let mut scopes = Vec::new();
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| self.frames.get(frame)) {
            if let Some(scope) = state.scope
                && let Some(Scope::Loop(looping)) = self.scopes.get(scope)
                && !looping.ledger.state.limits.is_none()
            {
                scopes.push(scope);
            }
            at = state.parent.map(|(frame, _)| frame);
        }
        scopes.reverse();
        scopes
    }

    /// Where a node stands in plan order, iterations counted: of two nodes, the one that is less comes first.
    fn place(&self, frame: FrameId, slot: Slot) -> Vec<usize> {
        let mut place = vec![slot];
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| self.frames.get(frame)) {
            place.push(state.index as usize);
            at = state.parent.map(|(frame, slot)| {
                place.push(slot);
                frame
            });
        }
        place.reverse();
        place
    }

    pub(super) fn call_asks(&mut self, ticket: Ticket, asked: CallRequest) {
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(ticket) else {
            return;
        };
        let call = Call {
            ticket,
            around: self.budgets_around(frame),
            granted: false,
            place: self.place(frame, slot),
            asked,
        };
        let number = call.asked.call;
        // Of a paused run, what is under way ends, with all the calls that it takes.
        let fits = match self.halt {
            Some(Halt::OverBudget { .. }) => Fit::Later,
            _ => self.fit(&call).0.max(self.behind_others(&call)),
        };
        self.calls.insert(number, call);
        if fits == Fit::Now {
            self.reserve(number);
        }
        self.say(number, |asked, budget| {
            journal::Input::CallRequested {
                asked,
                fits,
                budget,
            }
            .into()
        });
        match fits {
            Fit::Now => self.out.push(Effect::Call { call: number }),
            Fit::Later => {}
            Fit::Never => self.end_budget_of(number),
        }
    }

    /// How a call goes into all budgets around it, and the outermost into which it never goes (`None` is the run's).
    fn fit(&self, call: &Call) -> (Fit, Option<ScopeId>) {
        let mut worst = (self.ledger.fit(&call.asked), None);
        for &scope in &call.around {
            if let Some(Scope::Loop(looping)) = self.scopes.get(scope) {
                let fit = looping.ledger.fit(&call.asked);
                if fit > worst.0 {
                    worst = (fit, Some(scope));
                }
            }
        }
        worst
    }

    /// `Later` where a call that comes first in plan order waits for room in a budget that is around this one too.
    fn behind_others(&self, call: &Call) -> Fit {
        let waits = |other: &Call| {
            !other.granted && other.place < call.place && self.blocks(other, &call.around)
        };
        if self.calls.values().any(waits) {
            Fit::Later
        } else {
            Fit::Now
        }
    }

    /// Whether what `waiting` waits for is room in the run's budget or in one of `around`.
    fn blocks(&self, waiting: &Call, around: &[ScopeId]) -> bool {
        self.ledger.fit(&waiting.asked) != Fit::Now
            || waiting.around.iter().any(|scope| {
                around.contains(scope)
                    && matches!(self.scopes.get(*scope), Some(Scope::Loop(looping))
                        if looping.ledger.fit(&waiting.asked) != Fit::Now)
            })
    }

    fn say(&mut self, call: u64, entry: impl FnOnce(Box<CallRequest>, Box<BudgetState>) -> Entry) {
        let Some(call) = self.calls.get(&call) else {
            return;
        };
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(call.ticket) else {
            return;
        };
        let entry = entry(Box::new(call.asked.clone()), Box::new(self.ledger.state));
        let node = self.node_at(frame, slot);
        self.record(self.path(frame, node), Some(node), entry);
    }

    /// A call that waited may be made.
    fn grant(&mut self, number: u64) {
        self.reserve(number);
        self.say(number, |asked, budget| {
            Fact::CallReserved { asked, budget }.into()
        });
        self.out.push(Effect::Call { call: number });
    }

    fn reserve(&mut self, number: u64) {
        let Some(call) = self.calls.get_mut(&number) else {
            return;
        };
        call.granted = true;
        self.ledger.reserve(&call.asked);
        for &scope in &call.around {
            if let Some(Scope::Loop(looping)) = self.scopes.get_mut(scope) {
                looping.ledger.reserve(&call.asked);
            }
        }
    }

    /// There is no room for a call that waited, and never will be.
    fn refuse(&mut self, number: u64) {
        self.say(number, |asked, budget| {
            Fact::CallRefused { asked, budget }.into()
        });
        self.end_budget_of(number);
    }

    /// A call never goes into a budget: the scope whose budget it is ends.
    fn end_budget_of(&mut self, number: u64) {
        let Some(call) = self.calls.get(&number) else {
            return;
        };
        if let (Fit::Never, Some(scope)) = self.fit(call) {
            return self.loop_over_budget(scope);
        }
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(call.ticket) else {
            return;
        };
        let node = self.node_at(frame, slot);
        let message = self.says_over_budget(node, &call.asked);
        self.halt = Some(Halt::OverBudget { node, message });
    }

    fn says_over_budget(&self, node: NodeIx, asked: &CallRequest) -> String {
        let state = &self.ledger.state;
        let title = &self.plan.nodes[node].title;
        if self.ledger.breached {
            return "The run was stopped at its budget: a call used more than it could by its price and maxTokens, so that the \
                    budget cannot be relied on. Resume the run with a larger budget to go on all the same."
                .to_owned();
        }
        let over = |limit: Option<u64>, spent: u64, most: Option<u64>| {
            limit.is_some_and(|limit| {
                most.and_then(|most| spent.checked_add(most))
                    .is_none_or(|needed| needed > limit)
            })
        };
        let (spent, limit, most) =
            if over(state.limits.microusd, state.spent_microusd, asked.microusd) {
                (
                    dollars(state.spent_microusd),
                    dollars(state.limits.microusd.unwrap_or(0)),
                    asked.microusd.map(dollars),
                )
            } else {
                (
                    format!("{} tokens", state.spent_tokens),
                    format!("{} tokens", state.limits.tokens.unwrap_or(0)),
                    asked.tokens.map(|tokens| format!("{tokens} tokens")),
                )
            };
        if asked.unbounded {
            return format!(
                "The run's budget of {limit} is used up: {spent} are spent. \"{title}\" was not started. Resume the run with a \
                 larger budget to continue."
            );
        }
        format!(
            "The run's budget of {limit} has no room for the next call of \"{title}\": {spent} are spent, and the call can take \
             up to {}. Resume the run with a larger budget to go on.",
            most.unwrap_or_else(|| "more than is known".to_owned())
        )
    }

    /// Serves calls that wait, in plan order. Returns whether one ended something.
    pub(super) fn serve_calls(&mut self) -> bool {
        if self.is_over_budget() || self.calls.values().all(|call| call.granted) {
            return false;
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
            match self.fit(call).0.max(self.behind_others(call)) {
                Fit::Now => self.grant(number),
                Fit::Later => {}
                Fit::Never => {
                    self.refuse(number);
                    return true;
                }
            }
        }
        false
    }

    /// A call ended. `known`: no more was used than `usage` says; else its reservation counts as spent.
    pub(super) fn call_settled(&mut self, number: u64, usage: Usage, known: bool) {
        let Some(call) = self.calls.get(&number).filter(|call| call.granted) else {
            return;
        };
        let Some(&Pending::Node { frame, slot, .. }) = self.pending.get(call.ticket) else {
            return;
        };
        let Some(call) = self.calls.remove(&number) else {
            return;
        };
        self.write_off(&call, usage, known);
        let node = self.node_at(frame, slot);
        self.record(
            self.path(frame, node),
            Some(node),
            journal::Input::CallSettled {
                call: number,
                usage,
                known,
                budget: Box::new(self.ledger.state),
            },
        );
        let wanted = self
            .wanted(call.ticket)
            .map_or_else(QuoteNeeds::default, |(_, wanted)| wanted);
        if call.asked.unbounded {
            return self.warn_of_unknown_use(node, wanted, &usage, known);
        }
        let above = |counts: bool, used: u64, most: Option<u64>| {
            counts && most.is_some_and(|most| used > most)
        };
        let dearer = above(wanted.money, usage.cost_microusd, call.asked.microusd);
        if !dearer && !above(wanted.tokens, usage.tokens(), call.asked.tokens) {
            return;
        }
        self.ledger.breached = true;
        for &scope in &call.around {
            if let Some(Scope::Loop(looping)) = self.scopes.get_mut(scope) {
                looping.ledger.breached = true;
            }
        }
        let (used, most) = if dearer {
            (
                dollars(usage.cost_microusd),
                dollars(call.asked.microusd.unwrap_or(0)),
            )
        } else {
            (
                format!("{} tokens", usage.tokens()),
                format!("{} tokens", call.asked.tokens.unwrap_or(0)),
            )
        };
        self.warn(
            "call_over_reservation",
            node,
            format!(
                "A call of \"{}\" ({}) took {used}, more than the {most} that were reserved for it: its server did not keep to \
                 maxTokens, or its price is not what the table says. Nothing more is started under the budget.",
                self.plan.nodes[node].title, call.asked.model
            ),
        );
    }

    fn write_off(&mut self, call: &Call, usage: Usage, known: bool) {
        let (mut microusd, mut tokens) = (usage.cost_microusd, usage.tokens());
        if !known {
            microusd = microusd.max(call.asked.microusd.unwrap_or(0));
            tokens = tokens.max(call.asked.tokens.unwrap_or(0));
        }
        if let Some(Pending::Node { charged, .. }) = self.pending.get_mut(call.ticket) {
            charged.microusd = charged.microusd.saturating_add(microusd);
            charged.tokens = charged.tokens.saturating_add(tokens);
        }
        self.ledger.settle(&call.asked, microusd, tokens);
        for &scope in &call.around {
            if let Some(Scope::Loop(looping)) = self.scopes.get_mut(scope) {
                looping.ledger.settle(&call.asked, microusd, tokens);
            }
        }
    }

    /// The execution is over, whatever became of its calls: what was reserved for them stays spent.
    pub(super) fn lose_calls(&mut self, ticket: Ticket) {
        let of: Vec<u64> = self
            .calls
            .iter()
            .filter(|(_, call)| call.ticket == ticket)
            .map(|(&number, _)| number)
            .collect();
        self.lose(of);
    }

    /// The run is resumed: nobody knows what became of the calls that were under way, and those that waited ask again.
    pub fn resumed(&mut self) {
        let all = self.calls.keys().copied().collect();
        self.lose(all);
        // The executions begin again.
        for pending in self.pending.values_mut() {
            if let Pending::Node { sent, .. } = pending {
                *sent = None;
            }
        }
    }

    fn lose(&mut self, numbers: Vec<u64>) {
        for number in numbers {
            if let Some(call) = self.calls.remove(&number)
                && call.granted
            {
                self.write_off(&call, Usage::default(), false);
            }
        }
    }

    /// The loop at `path` ends by its budget, as it did in the run that this one is forked from.
    pub(super) fn loop_was_over_budget(&mut self, path: &str) {
        let is_it = |scope: &ScopeId| {
            matches!(self.scopes.get(*scope), Some(Scope::Loop(_)))
                && self.scope_path(*scope).as_deref() == Some(path)
        };
        let Some(scope) = (self.scopes.ids()).find(is_it) else {
            return;
        };
        let Some(Scope::Loop(looping)) = self.scopes.get(scope) else {
            return;
        };
        let node = self.node_at(looping.at.0, looping.at.1);
        self.record(path.to_owned(), Some(node), journal::Input::LoopOverBudget);
        self.loop_over_budget(scope);
    }

    /// The paths of the loops that ended by their budgets in the last step.
    pub(super) fn loops_over_budget(&self) -> Vec<String> {
        self.loops_over_budget.clone()
    }

    /// The run has another budget from now on; what it does not name stays as it was.
    pub(super) fn set_budget(&mut self, limits: Limits) {
        self.record(String::new(), None, journal::Input::BudgetSet { limits });
        if !self.has_budgets {
            // Until now nothing asked.
            self.has_budgets = true;
            self.ledger.state.spent_microusd = self.usage.cost_microusd;
            self.ledger.state.spent_tokens = self.usage.tokens();
        }
        self.ledger.state.limits = limits.or(self.ledger.state.limits);
        self.ledger.breached = false;
        if let Some(Halt::OverBudget { .. }) = self.halt {
            self.release();
        }
    }

    /// The run continues by another plan: its budgets hold from now on, and what was taken over counts.
    pub(super) fn change_budgets(&mut self) {
        self.resumed();
        self.has_budgets |= self.plan.has_budgets();
        self.ledger.state.limits = self.plan.budget();
        self.ledger.begin_with(&self.usage);
        let plan = std::sync::Arc::clone(&self.plan);
        for scope in self.scopes.values_mut() {
            if let Scope::Loop(looping) = scope
                && let Some(crate::plan::Repeat::Loop(config)) = &plan.graphs[looping.graph].repeat
            {
                looping.ledger.state.limits = config.budget;
                let usage = looping.usage;
                looping.ledger.begin_with(&usage);
            }
        }
        if self.is_over_budget() {
            self.release();
        }
    }

    pub(super) fn pause(&mut self) {
        if self.halt.is_none() {
            self.halt = Some(Halt::Paused);
            self.record(String::new(), None, journal::Input::RunPaused);
        }
    }

    pub(super) fn unpause(&mut self) {
        if let Some(Halt::Paused) = self.halt {
            self.record(String::new(), None, journal::Input::RunContinued);
            self.release();
        }
    }

    /// Nodes that were kept back have their turn again.
    fn release(&mut self) {
        self.halt = None;
        for (frame, slot) in std::mem::take(&mut self.effects_waiting) {
            self.set_slot(frame, slot, SlotState::Waiting(0));
            self.turn.push_back((frame, slot));
        }
    }

    /// Whether a person paused the run.
    pub fn is_paused(&self) -> bool {
        matches!(self.halt, Some(Halt::Paused))
    }

    /// Whether the run's budget has no room for what comes next.
    pub fn is_over_budget(&self) -> bool {
        matches!(self.halt, Some(Halt::OverBudget { .. }))
    }

    /// Whether nothing is under way any more that a halted run should wait for.
    pub fn is_idle(&self) -> bool {
        let blocked = |ticket: Ticket| {
            let mut calls = self.calls.values();
            calls.any(|call| call.ticket == ticket && !call.granted)
        };
        let busy = |ticket: Ticket, pending: &Pending| {
            matches!(pending, Pending::Node { .. })
                && !self.asking.contains(&ticket)
                && !(self.is_over_budget() && blocked(ticket))
        };
        self.halt.is_some()
            && !self
                .pending
                .iter()
                .any(|(ticket, pending)| busy(ticket, pending))
    }
}
