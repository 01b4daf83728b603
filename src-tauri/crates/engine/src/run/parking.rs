//! How the core waits for quotas. The concurrency limit does not count a parked execution, and the time limits around it are
//! held.

use std::collections::BTreeSet;

use super::{
    Effect, Pending, Run, Ticket, impossible::Stepped, outbox::Outbox, scope::Scope, tree::Tree,
};
use crate::journal::{self, Parked};

impl Run {
    /// Records that an execution waits for a quota. Until it continues, the concurrency limit does not count it, and no time
    /// limit around it runs.
    pub(super) fn park(&mut self, ticket: Ticket, parked: Parked) -> Stepped {
        let Some(Pending::Node {
            frame,
            slot,
            spent,
            sent,
            ..
        }) = self.out.pending.get_mut(ticket)
        else {
            return Ok(());
        };
        spent.get_or_insert_default().add(&parked.error.usage);
        *sent = None;
        let (node, path) = self.tree.locate((*frame, *slot))?;
        let entry = journal::Input::ExecutionParked(parked);
        self.out.record(path, Some(node), entry);
        self.schedule.park(ticket);
        Ok(())
    }

    /// Records that the wait of an execution is over.
    pub(super) fn unpark(&mut self, ticket: Ticket) -> Stepped {
        let Some(&Pending::Node { frame, slot, .. }) = self.out.pending.get(ticket) else {
            return Ok(());
        };
        if self.schedule.unpark(ticket) {
            let (node, path) = self.tree.locate((frame, slot))?;
            let entry = journal::Input::ExecutionUnparked;
            self.out.record(path, Some(node), entry);
        }
        Ok(())
    }

    /// Holds the time limits around parked executions, and releases all others.
    pub(super) fn hold_timers(&mut self) {
        let changes = self.schedule.parked_changes();
        if std::mem::replace(&mut self.holds.seen, changes) == changes {
            return;
        }
        let parked = self.schedule.parked();
        self.holds.note(!parked.is_empty(), self.clock.now);
        let limits = limits_around(&self.tree, &self.out, parked);
        let held = std::mem::replace(&mut self.holds.timers, limits);
        for &ticket in self.holds.timers.difference(&held) {
            self.out.push(Effect::HoldTimer { ticket });
        }
        for &ticket in held.difference(&self.holds.timers) {
            // The timer of a time limit that has expired no longer exists.
            if self.out.pending.get(ticket).is_some() {
                self.out.push(Effect::ReleaseTimer { ticket });
            }
        }
    }

    /// Returns whether an execution waits for a quota.
    pub fn is_parked(&self) -> bool {
        !self.schedule.parked().is_empty()
    }

    /// Returns for how many milliseconds of the run's own time, up to `now`, at least one execution was parked.
    pub fn parked_ms(&self, now: i64) -> u64 {
        self.holds.parked_ms(self.clock.started_at, now)
    }

    /// Returns whether a parked execution may begin again: the run is not halted, and the concurrency limit allows another
    /// execution.
    pub fn has_room(&self) -> bool {
        let concurrency = self.tree.plan.settings.concurrency;
        self.budgets.halt.is_none() && self.schedule.has_room(concurrency)
    }
}

/// Returns the timers of the time limits around these executions.
fn limits_around(tree: &Tree, out: &Outbox, executions: &BTreeSet<Ticket>) -> BTreeSet<Ticket> {
    let mut limits = BTreeSet::new();
    for &ticket in executions {
        let Some(&Pending::Node { frame, .. }) = out.pending.get(ticket) else {
            continue;
        };
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| tree.frames.get(frame)) {
            let scope = state.scope.and_then(|scope| tree.scopes.get(scope));
            limits.extend(scope.map(Scope::tickets).unwrap_or_default());
            at = state.parent.map(|(frame, _)| frame);
        }
    }
    limits
}
