//! How the core waits for quotas. The concurrency limit does not count a parked execution, and the time limits around it are
//! held.

use std::collections::BTreeSet;

use super::{
    Effect, Pending, Run, Ticket, holds::Holds, impossible::Stepped, nodes::Nodes, outbox::Outbox,
    schedule::Schedule, scope::Scope, tree::Tree,
};
use crate::journal::{self, Parked};

impl Nodes<'_> {
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
}

impl Holds {
    /// Holds the time limits around parked executions, and releases all others. `now` is in the run's own time, in
    /// milliseconds.
    pub(super) fn follow(&mut self, schedule: &Schedule, tree: &Tree, out: &mut Outbox, now: i64) {
        let changes = schedule.parked_changes();
        if std::mem::replace(&mut self.seen, changes) == changes {
            return;
        }
        let parked = schedule.parked();
        self.note(!parked.is_empty(), now);
        let limits = limits_around(tree, out, parked);
        let held = std::mem::replace(&mut self.timers, limits);
        for &ticket in self.timers.difference(&held) {
            out.push(Effect::HoldTimer { ticket });
        }
        for &ticket in held.difference(&self.timers) {
            // The timer of a time limit that has expired no longer exists.
            if out.pending.get(ticket).is_some() {
                out.push(Effect::ReleaseTimer { ticket });
            }
        }
    }
}

impl Run {
    /// Returns whether an execution waits for a quota.
    pub fn is_parked(&self) -> bool {
        !self.schedule.parked().is_empty()
    }

    /// Returns how long at least one execution was parked, up to `now`, in milliseconds of the run's own time.
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
