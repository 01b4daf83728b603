//! The remaining budget of an experiment. Each run reserves a share before it starts and returns the unused part when it ends,
//! so that concurrent runs together never exceed the budget.

use std::sync::{Mutex, MutexGuard, PoisonError};

use loopwright_engine::{Usage, budget::Limits};
use tokio::sync::Notify;

/// The budget of one experiment, and the amounts of it that are spent or reserved.
#[derive(Debug)]
pub(super) struct BudgetPool {
    limits: Limits,
    state: Mutex<Shares>,
    returned: Notify,
}

#[derive(Debug, Default, Clone, Copy)]
struct Shares {
    spent: Amount,
    reserved: Amount,
}

/// An amount in micro-dollars and tokens.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) microusd: u64,
    pub(super) tokens: u64,
}

impl Amount {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            microusd: self.microusd.saturating_add(other.microusd),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    pub(super) fn less(self, other: Self) -> Self {
        Self {
            microusd: self.microusd.saturating_sub(other.microusd),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    /// Returns the larger of the two amounts, separately for each unit.
    pub(super) fn most(self, other: Self) -> Self {
        Self {
            microusd: self.microusd.max(other.microusd),
            tokens: self.tokens.max(other.tokens),
        }
    }
}

impl From<&Usage> for Amount {
    fn from(usage: &Usage) -> Self {
        Self {
            microusd: usage.cost_microusd,
            tokens: usage.tokens(),
        }
    }
}

/// The part of the budget that is reserved for a run. [`BudgetPool::settle`] returns the unused part to the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) limits: Limits,
    reserved: Amount,
}

/// The maximum usage of a run. A limit that is `None` is unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) microusd: Option<u64>,
    pub(super) tokens: Option<u64>,
}

impl BudgetPool {
    pub(super) fn new(limits: Limits, spent: Amount) -> Self {
        Self {
            limits,
            state: Mutex::new(Shares {
                spent,
                reserved: Amount::default(),
            }),
            returned: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Shares> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_limited(&self) -> bool {
        !self.limits.is_none()
    }

    /// Returns the amount spent by runs that ended or were suspended.
    pub(super) fn spent(&self) -> Amount {
        self.state().spent
    }

    /// Reserves a share for a run that was started earlier and has not ended yet.
    pub(super) fn keep(&self, limits: Limits) -> Share {
        let reserved = Amount {
            microusd: limits.microusd.unwrap_or(0),
            tokens: limits.tokens.unwrap_or(0),
        };
        let mut state = self.state();
        state.reserved = state.reserved.plus(reserved);
        Share { limits, reserved }
    }

    /// Reserves a share for a run that can use `most`. Waits while other runs may still return enough of their shares.
    /// Returns `None` if the budget is exhausted.
    pub(super) async fn take(&self, most: Most) -> Option<Share> {
        loop {
            // The subscription precedes the check, so that a share that is returned in between is not missed.
            let returned = self.returned.notified();
            let waits = {
                let mut state = self.state();
                let usd = part(
                    self.limits.microusd,
                    state.spent.microusd,
                    state.reserved.microusd,
                    most.microusd,
                );
                let tokens = part(
                    self.limits.tokens,
                    state.spent.tokens,
                    state.reserved.tokens,
                    most.tokens,
                );
                match (usd, tokens) {
                    (Part::Nothing, _) | (_, Part::Nothing) => return None,
                    (Part::Later, _) | (_, Part::Later) => true,
                    (Part::Of(usd), Part::Of(tokens)) => {
                        let reserved = Amount {
                            microusd: usd.unwrap_or(0),
                            tokens: tokens.unwrap_or(0),
                        };
                        state.reserved.microusd += reserved.microusd;
                        state.reserved.tokens += reserved.tokens;
                        return Some(Share {
                            limits: Limits {
                                microusd: usd,
                                tokens,
                            },
                            reserved,
                        });
                    }
                }
            };
            if waits {
                returned.await;
            }
        }
    }

    /// Records the usage of a run that ended or was suspended, and returns the rest of its share.
    pub(super) fn settle(&self, share: Share, used: Amount) {
        {
            let mut state = self.state();
            state.spent = state.spent.plus(used);
            state.reserved.microusd = state
                .reserved
                .microusd
                .saturating_sub(share.reserved.microusd);
            state.reserved.tokens = state.reserved.tokens.saturating_sub(share.reserved.tokens);
        }
        self.returned.notify_waiters();
    }
}

enum Part {
    /// The run gets this amount; `None` means no limit.
    Of(Option<u64>),
    /// Too little is free now, but other runs may return part of their shares.
    Later,
    Nothing,
}

/// Returns the part of one limit that a run gets.
fn part(limit: Option<u64>, spent: u64, reserved: u64, most: Option<u64>) -> Part {
    let Some(limit) = limit else {
        return Part::Of(None);
    };
    let free = limit.saturating_sub(spent).saturating_sub(reserved);
    match most {
        // A run that costs nothing needs no share.
        Some(0) => Part::Of(Some(0)),
        Some(most) if most <= free => Part::Of(Some(most)),
        // If no other run has a share, the run gets everything that is free, because it may use less than its maximum.
        _ if reserved > 0 => Part::Later,
        _ if free == 0 => Part::Nothing,
        _ => Part::Of(Some(free)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn usd(microusd: Option<u64>) -> Most {
        Most {
            microusd,
            tokens: Some(0),
        }
    }

    fn used(microusd: u64) -> Amount {
        Amount {
            microusd,
            tokens: 0,
        }
    }

    #[tokio::test]
    async fn shares_never_exceed_the_budget_together() {
        let limits = Limits {
            microusd: Some(100),
            tokens: None,
        };
        let pool = Arc::new(BudgetPool::new(limits, Amount::default()));
        let first = pool.take(usd(Some(60))).await.unwrap();
        assert_eq!(first.limits.microusd, Some(60));
        let waiting = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.take(usd(Some(60))).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "it waits for the first");
        pool.settle(first, used(50));
        // Once no other run has a share, the waiting run gets the remaining 50.
        let second = waiting.await.unwrap().unwrap();
        assert_eq!(second.limits.microusd, Some(50));
        // A run that costs nothing needs no share.
        assert!(pool.take(usd(Some(0))).await.is_some());
        pool.settle(second, used(50));
        assert!(pool.take(usd(Some(1))).await.is_none());
        assert!(pool.take(usd(None)).await.is_none());
        assert_eq!(pool.spent(), used(100));
    }

    #[tokio::test]
    async fn what_an_interrupted_run_may_use_stays_reserved() {
        let limits = Limits {
            microusd: Some(100),
            tokens: None,
        };
        let pool = BudgetPool::new(limits, used(20));
        let of_run = Limits {
            microusd: Some(50),
            tokens: None,
        };
        let share = pool.keep(of_run);
        let other = pool.take(usd(Some(30))).await.unwrap();
        assert_eq!(other.limits.microusd, Some(30));
        pool.settle(share, used(30));
        pool.settle(other, used(30));
        assert_eq!(pool.spent(), used(80));
    }
}
