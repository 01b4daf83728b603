//! The gates of used-up quotas.
//!
//! ```text
//! Open ──refused──▶ Closed ──the wait is over──▶ Due ──one leaves──▶ Trying ──answered──▶ Opening ──all have left──▶ Open
//!                     ▲                                                │                    │
//!                     └──────────────────────refused───────────────────┴────────────────────┘
//! ```

use std::{
    collections::{BTreeSet, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    host::Models,
    outcome::NodeError,
    quota::{Quota, SharedQuotas},
    run::Ticket,
};

/// The quotas against which no call is sent. Executions read them before they send a call.
#[derive(Clone, Default)]
pub(super) struct ClosedQuotas {
    /// The keys of the quotas whose gates are closed.
    own: Arc<Mutex<HashSet<String>>>,
    /// The store through which runs share what they know about quotas; `None` if this run shares nothing.
    pub(super) shared: Option<Arc<dyn SharedQuotas>>,
    /// The longest time that a step waits, in milliseconds. If another run waits longer for a quota, this run sends its own
    /// call.
    longest_ms: u64,
}

impl fmt::Debug for ClosedQuotas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClosedQuotas").field(&self.own).finish()
    }
}

impl ClosedQuotas {
    /// Checks whether a call may be sent against a quota. `passes` is the key of the quota against which the execution may
    /// send calls even if the quota is closed.
    ///
    /// # Errors
    /// `quota_closed` if the quota is known to be used up.
    pub(super) fn check(&self, quota: &Quota, passes: Option<&str>) -> Result<(), NodeError> {
        if passes == Some(&quota.key) {
            return Ok(());
        }
        let is_closed = self.lock().contains(&quota.key);
        if is_closed || self.closed_elsewhere(&quota.key).is_some() {
            return Err(NodeError::quota_closed(quota));
        }
        Ok(())
    }

    /// Returns how long this run's calls wait because a call of another run was refused, in milliseconds. Returns `None` if
    /// they need not wait, or if the wait exceeds the longest time that a step of this run waits.
    pub(super) fn closed_elsewhere(&self, key: &str) -> Option<u64> {
        let left = self.shared.as_ref()?.closed_for(key)?;
        (left <= self.longest_ms).then_some(left)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes whether the gate of the quota with this key is closed.
    pub(super) fn set(&self, key: &str, is_closed: bool) {
        let mut closed = self.lock();
        match is_closed {
            true => closed.insert(key.to_owned()),
            false => closed.remove(key),
        };
    }
}

/// The gates of a run.
#[derive(Default)]
pub(super) struct Quotas {
    /// The gates, in the order in which their quotas were first used up. The number of a gate is its index.
    pub(super) gates: Vec<Gate>,
    pub(super) closed: ClosedQuotas,
}

/// The gate of a quota.
pub(super) struct Gate {
    pub(super) quota: Quota,
    pub(super) state: GateState,
    /// The time at which the gate was last closed, in milliseconds since the Unix epoch.
    pub(super) closed_at: i64,
    /// The end of the wait, in milliseconds since the Unix epoch.
    pub(super) until: i64,
    /// The number of consecutive refusals.
    pub(super) refusals: u32,
    pub(super) waiting: BTreeSet<Ticket>,
}

/// The state of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GateState {
    Open,
    /// The wait is not over. All executions wait.
    Closed,
    /// The wait is over. The first execution continues as soon as the concurrency limit allows it.
    Due,
    /// This execution has continued, and its call has not been answered yet.
    Trying(Ticket),
    /// The other executions continue one after another. `is_due` is true if the next one may continue now.
    Opening {
        is_due: bool,
    },
}

impl Quotas {
    /// Creates the gates of a run whose steps wait for quotas for at most `longest_ms` milliseconds. A run that never waits
    /// does not ask what other runs know.
    pub(super) fn new(models: &dyn Models, longest_ms: u64) -> Self {
        let closed = ClosedQuotas {
            shared: models.shared_quotas().filter(|_| longest_ms > 0),
            longest_ms,
            ..ClosedQuotas::default()
        };
        Self {
            gates: Vec::new(),
            closed,
        }
    }

    /// Returns the number of this quota's gate. If the quota has no gate yet, a new gate is added in the open state.
    pub(super) fn gate_of(&mut self, quota: &Quota) -> usize {
        let known = self
            .gates
            .iter()
            .position(|gate| gate.quota.key == quota.key);
        known.unwrap_or_else(|| {
            self.gates.push(Gate {
                quota: quota.clone(),
                state: GateState::Open,
                closed_at: 0,
                until: 0,
                refusals: 0,
                waiting: BTreeSet::new(),
            });
            self.gates.len() - 1
        })
    }

    /// Drops an execution that is over or was cancelled. If the other executions were waiting for the answer to its call,
    /// another one tries.
    pub(super) fn forget(&mut self, ticket: Ticket) {
        for gate in &mut self.gates {
            gate.waiting.remove(&ticket);
            if gate.state == GateState::Trying(ticket) {
                gate.state = GateState::Due;
            }
        }
    }

    /// Of the quotas that the run waits for, returns the gate of the one that resets first. Returns `None` if the run waits for
    /// no quota.
    pub(super) fn next(&self) -> Option<&Gate> {
        let waited_for = self.gates.iter().filter(|gate| !gate.waiting.is_empty());
        waited_for.min_by_key(|gate| gate.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::QUOTA_CLOSED;

    fn quota(key: &str) -> Quota {
        Quota::new(key, key.to_uppercase())
    }

    #[test]
    fn a_closed_quota_lets_only_those_pass_that_left_its_wait() {
        let closed = ClosedQuotas::default();
        let clone = closed.clone();
        assert!(clone.check(&quota("a"), None).is_ok());
        closed.set("a", true);
        let refused = clone.check(&quota("a"), None).unwrap_err();
        assert_eq!(
            (&*refused.code, refused.quota()),
            (QUOTA_CLOSED, Some(&quota("a")))
        );
        assert!(clone.check(&quota("a"), Some("b")).is_err());
        assert!(clone.check(&quota("a"), Some("a")).is_ok());
        assert!(clone.check(&quota("b"), None).is_ok());
        closed.set("a", false);
        assert!(clone.check(&quota("a"), None).is_ok());
    }

    #[test]
    fn the_quota_that_returns_first_is_shown_and_one_without_waits_is_not() {
        let mut quotas = Quotas::default();
        for (key, until, waits) in [("a", 300, true), ("b", 200, true), ("c", 100, false)] {
            let number = quotas.gate_of(&quota(key));
            let gate = &mut quotas.gates[number];
            gate.until = until;
            if waits {
                gate.waiting.insert(Ticket(until as u64));
            }
        }
        assert_eq!(quotas.gate_of(&quota("b")), 1);
        assert_eq!(quotas.next().map(|gate| &*gate.quota.key), Some("b"));
        quotas.forget(Ticket(200));
        assert_eq!(quotas.next().map(|gate| &*gate.quota.key), Some("a"));
    }

    #[test]
    fn another_execution_tries_if_the_first_one_is_cancelled() {
        let mut quotas = Quotas::default();
        let number = quotas.gate_of(&quota("a"));
        quotas.gates[number].state = GateState::Trying(Ticket(1));
        quotas.forget(Ticket(2));
        assert_eq!(quotas.gates[number].state, GateState::Trying(Ticket(1)));
        quotas.forget(Ticket(1));
        assert_eq!(quotas.gates[number].state, GateState::Due);
    }
}
