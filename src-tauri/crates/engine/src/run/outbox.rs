//! The output of the core: effects in order, the tickets for which answers are expected, and the run's warnings.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use loopwright_model::graph::NodeIx;

use super::{core_io::Effect, pending::Pending, ticket::Ticket};
use crate::{
    journal::{Entry, Fact},
    plan::Plan,
    tickets::Tickets,
    warning::Warning,
};

#[derive(Default)]
pub(super) struct Outbox {
    effects: Vec<Effect>,
    /// The executions and timers that the core expects an answer for, by ticket.
    pub(super) pending: Tickets<Pending>,
    next_ticket: u64,
    warnings: Vec<Warning>,
    /// Hashes of the warnings, which make lookups fast: a list may have a warning for each of its items.
    warned: HashSet<u64>,
}

impl Outbox {
    /// Creates the outbox of a run that starts with these warnings.
    pub(super) fn new(warnings: &[Warning]) -> Self {
        Self {
            warned: warnings.iter().map(hash).collect(),
            warnings: warnings.to_vec(),
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Moves the effects to the end of `effects`.
    pub(super) fn drain_into(&mut self, effects: &mut Vec<Effect>) {
        if effects.is_empty() {
            // Swapping the lists preserves both allocations and copies no effect.
            std::mem::swap(effects, &mut self.effects);
        } else {
            effects.append(&mut self.effects);
        }
    }

    pub(super) fn record(&mut self, path: String, node: Option<NodeIx>, entry: impl Into<Entry>) {
        self.effects.push(Effect::Record {
            path,
            node,
            entry: entry.into(),
        });
    }

    /// Records an entry about the run as a whole.
    pub(super) fn record_run(&mut self, entry: impl Into<Entry>) {
        self.record(String::new(), None, entry);
    }

    /// Adds and records a warning about a node, unless the run already has it.
    pub(super) fn warn(&mut self, plan: &Plan, code: &str, node: NodeIx, message: String) {
        let place = || plan.nodes[node].place.to_string();
        let warning = Warning {
            code: code.to_owned(),
            node: Some(place()),
            message,
        };
        if self.add_warning(warning.clone()) {
            let warning = Box::new(warning);
            self.record(place(), Some(node), Fact::Warned { warning });
        }
    }

    /// Adds a warning. Returns `false` if the run already has it.
    pub(super) fn add_warning(&mut self, warning: Warning) -> bool {
        let is_new = self.warned.insert(hash(&warning)) || !self.warnings.contains(&warning);
        if is_new {
            self.warnings.push(warning);
        }
        is_new
    }

    pub(super) fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    pub(super) fn ticket(&mut self, pending: Pending) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.pending.insert(ticket, pending);
        ticket
    }

    pub(super) fn timer(&mut self, pending: Pending, after_ms: u64) -> Ticket {
        let limit = !matches!(
            pending,
            Pending::Delay { .. } | Pending::SubflowPause { .. }
        );
        let ticket = self.ticket(pending);
        self.push(Effect::Timer {
            ticket,
            after_ms,
            limit,
        });
        ticket
    }

    /// Cancels the executions and timers with these tickets.
    pub(super) fn cancel(&mut self, tickets: impl IntoIterator<Item = Ticket>) {
        for ticket in tickets {
            self.pending.remove(ticket);
            self.push(Effect::Cancel { ticket });
        }
    }

    pub(super) fn cancel_all(&mut self) {
        for ticket in self.pending.drain() {
            self.effects.push(Effect::Cancel { ticket });
        }
    }
}

fn hash(warning: &Warning) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&warning.code, &warning.node, &warning.message).hash(&mut hasher);
    hasher.finish()
}
