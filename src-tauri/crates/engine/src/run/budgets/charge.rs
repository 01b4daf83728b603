//! Charges to budgets: for finished calls, for calls with an unknown outcome, and for costs that no reservation bounds.

use loopwright_model::graph::NodeIx;

use super::{Budgets, Call, place_of, words};
use crate::{
    budget::QuoteNeeds,
    journal,
    outcome::Usage,
    run::{
        arena::FrameId,
        impossible::Stepped,
        outbox::Outbox,
        pending::{Charged, Pending},
        ticket::Ticket,
        tree::Tree,
    },
};

impl Budgets {
    /// Settles a finished call. If `known` is true, `usage` is everything that the call used; otherwise at least the call's
    /// reservation counts as spent.
    pub(in crate::run) fn settle(
        &mut self,
        tree: &mut Tree,
        out: &mut Outbox,
        number: u64,
        usage: Usage,
        known: bool,
    ) -> Stepped {
        let Some(call) = self.calls.get(&number).filter(|call| call.granted) else {
            return Ok(());
        };
        let Some(at) = place_of(out, call.ticket) else {
            return Ok(());
        };
        let Some(call) = self.calls.remove(&number) else {
            return Ok(());
        };
        self.write_off(tree, out, &call, usage, known);
        let (node, path) = tree.locate(at)?;
        let settled = journal::Input::CallSettled {
            call: number,
            usage,
            known,
            budget: Box::new(self.ledger.state),
        };
        out.record(path, Some(node), settled);
        let wanted = self.wanted(tree, at.0);
        if call.asked.unbounded {
            warn_of_unknown_use(tree, out, node, wanted, &usage, known);
        } else {
            self.check_reservation(tree, out, node, wanted, &call, &usage);
        }
        Ok(())
    }

    /// Marks the budgets around a call as breached if the call used more than was reserved for it.
    fn check_reservation(
        &mut self,
        tree: &mut Tree,
        out: &mut Outbox,
        node: NodeIx,
        wanted: QuoteNeeds,
        call: &Call,
        usage: &Usage,
    ) {
        let above = |counts: bool, used: u64, most: Option<u64>| {
            counts && most.is_some_and(|most| used > most)
        };
        let dearer = above(wanted.money, usage.cost_microusd, call.asked.microusd);
        if !dearer && !above(wanted.tokens, usage.tokens(), call.asked.tokens) {
            return;
        }
        self.ledger.breached = true;
        for &scope in &call.around {
            if let Ok(looping) = tree.looping_mut(scope) {
                looping.ledger.breached = true;
            }
        }
        let title = &tree.plan.nodes[node].title;
        let message = words::over_reservation(title, &call.asked, usage, dearer);
        out.warn(&tree.plan, "call_over_reservation", node, message);
    }

    fn write_off(
        &mut self,
        tree: &mut Tree,
        out: &mut Outbox,
        call: &Call,
        usage: Usage,
        known: bool,
    ) {
        let (mut microusd, mut tokens) = (usage.cost_microusd, usage.tokens());
        if !known {
            microusd = microusd.max(call.asked.microusd.unwrap_or(0));
            tokens = tokens.max(call.asked.tokens.unwrap_or(0));
        }
        if let Some(Pending::Node { charged, .. }) = out.pending.get_mut(call.ticket) {
            charged.microusd = charged.microusd.saturating_add(microusd);
            charged.tokens = charged.tokens.saturating_add(tokens);
        }
        self.ledger.settle(&call.asked, microusd, tokens);
        for &scope in &call.around {
            if let Ok(looping) = tree.looping_mut(scope) {
                looping.ledger.settle(&call.asked, microusd, tokens);
            }
        }
    }

    /// Drops the calls of an execution that is over. Their full reservations count as spent.
    pub(in crate::run) fn lose_calls(&mut self, ticket: Ticket, tree: &mut Tree, out: &mut Outbox) {
        let of: Vec<u64> = self
            .calls
            .iter()
            .filter(|(_, call)| call.ticket == ticket)
            .map(|(&number, _)| number)
            .collect();
        self.lose(of, tree, out);
    }

    /// Drops all calls when the run is resumed. The outcome of calls in progress is unknown, so their reservations count as
    /// spent. Waiting calls are requested again.
    pub(in crate::run) fn resumed(&mut self, tree: &mut Tree, out: &mut Outbox) {
        let all = self.calls.keys().copied().collect();
        self.lose(all, tree, out);
        // The executions begin again, so they have sent nothing yet.
        for pending in out.pending.values_mut() {
            if let Pending::Node { sent, .. } = pending {
                *sent = None;
            }
        }
    }

    fn lose(&mut self, numbers: Vec<u64>, tree: &mut Tree, out: &mut Outbox) {
        for number in numbers {
            if let Some(call) = self.calls.remove(&number)
                && call.granted
            {
                self.write_off(tree, out, &call, Usage::default(), false);
            }
        }
    }

    /// Charges the budgets around a node for the part of its outcome's usage that exceeds the charges for its calls, so that
    /// the budgets count every cost.
    pub(in crate::run) fn charge_beyond_calls(
        &mut self,
        tree: &mut Tree,
        frame: FrameId,
        usage: &Usage,
        charged: Charged,
    ) {
        if !self.are_set || !self.charges_outcomes {
            return;
        }
        let microusd = usage.cost_microusd.saturating_sub(charged.microusd);
        let tokens = usage.tokens().saturating_sub(charged.tokens);
        if microusd == 0 && tokens == 0 {
            return;
        }
        self.ledger.charge(microusd, tokens);
        for scope in tree.budgets_around(frame) {
            if let Ok(looping) = tree.looping_mut(scope) {
                looping.ledger.charge(microusd, tokens);
            }
        }
    }
}

/// Warns if a budget cannot count the usage of unbounded work, because the usage was not reported.
fn warn_of_unknown_use(
    tree: &Tree,
    out: &mut Outbox,
    node: NodeIx,
    wanted: QuoteNeeds,
    usage: &Usage,
    known: bool,
) {
    let made = usage.calls > 0 || !known;
    if !made {
        return;
    }
    let title = &tree.plan.nodes[node].title;
    if wanted.money && (!known || usage.unpriced_calls > 0) {
        let message = words::price_unknown(title);
        out.warn(&tree.plan, "price_unknown", node, message);
    }
    if wanted.tokens && (!known || usage.tokens() == 0) {
        let message = words::tokens_unknown(title);
        out.warn(&tree.plan, "tokens_unknown", node, message);
    }
}
