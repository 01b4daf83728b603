//! Quotas of providers: which calls share a quota, and how long a run waits if a refusal does not say when the quota resets.

use serde::{Deserialize, Serialize};

/// A quota that several calls share, such as the quota of a provider's model or of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Quota {
    /// The key that all calls under the quota share, such as `anthropic/claude-opus-4-1` or `agent:codex`.
    pub key: String,
    /// The quota's name for users, such as `Anthropic` or `Codex`.
    pub name: String,
}

impl Quota {
    pub fn new(key: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            name: name.into(),
        }
    }
}

/// What runs know about quotas, shared between all runs and programs. If a call of one run is refused, the quota is closed for
/// all runs.
pub trait SharedQuotas: Send + Sync {
    /// Returns the time until calls against the quota with this key may be sent, in milliseconds, or `None` if they may be sent
    /// now.
    fn closed_for(&self, key: &str) -> Option<u64>;

    /// Returns the time at which a call was last answered after a wait for the quota, in milliseconds since the Unix epoch;
    /// `None` if no such call is known.
    fn answered_at(&self, key: &str) -> Option<i64>;

    /// Asks for permission to send the call that finds out whether the quota has been reset.
    ///
    /// # Errors
    /// Returns the time to wait before asking again, in milliseconds, if another run is already making that call or if the
    /// quota is still closed.
    fn begin_trial(&self, key: &str) -> Result<(), u64>;

    /// Notes that a call was refused. Calls against the quota then wait until `until`, in milliseconds since the Unix epoch.
    fn refused(&self, key: &str, until: i64);

    /// Notes that a call was answered after a wait.
    fn answered(&self, key: &str);
}

/// The longest time for which other runs wait for the answer to the first call after a wait, in milliseconds. If that call
/// takes longer or its program was killed, another run sends the next call.
pub const TRIAL_MS: u64 = 30_000;

/// The default maximum time that a step waits for quotas, in milliseconds: six hours.
pub const DEFAULT_WAIT_MS: u64 = 6 * 3_600_000;

/// The first wait if the refusal does not say when the quota resets, in milliseconds.
const FIRST_WAIT_MS: u64 = 5 * 60_000;

/// The longest wait if the refusal does not say when the quota resets, in milliseconds.
const LONGEST_WAIT_MS: u64 = 3_600_000;

/// The maximum random delay after the end of a wait, in milliseconds. The delay is also limited to a tenth of the wait.
const SPREAD_MS: u64 = 3_000;

/// The minimum and the maximum time between two steps that continue after a wait, in milliseconds.
const GAP_MS: (u64, u64) = (20, 100);

/// Returns the wait after `refusals` refusals in a row (at least 1), in milliseconds, if the last one does not say when the
/// quota resets.
pub(crate) fn unnamed_wait(refusals: u32) -> u64 {
    let doublings = refusals.saturating_sub(1).min(16);
    (FIRST_WAIT_MS << doublings).min(LONGEST_WAIT_MS)
}

/// Returns a wait with its random delay. `spread`, in 0..1, is the position within the delay.
pub(crate) fn spread_wait(wait_ms: u64, spread: f64) -> u64 {
    let most = SPREAD_MS.min(wait_ms / 10);
    wait_ms.saturating_add((most as f64 * spread) as u64)
}

/// Returns the time until the next step continues after a wait, in milliseconds. `spread`, in 0..1, is the position within
/// the bounds.
pub(crate) fn gap(spread: f64) -> u64 {
    let (shortest, longest) = GAP_MS;
    shortest + ((longest - shortest) as f64 * spread) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_without_a_time_doubles_up_to_an_hour() {
        let minutes: Vec<u64> = (1..=7)
            .map(|refusals| unnamed_wait(refusals) / 60_000)
            .collect();
        assert_eq!(minutes, [5, 10, 20, 40, 60, 60, 60]);
        assert_eq!(unnamed_wait(u32::MAX), LONGEST_WAIT_MS);
    }

    #[test]
    fn the_random_delay_is_a_few_seconds_at_most() {
        assert_eq!(spread_wait(3_000, 0.5), 3_150);
        assert_eq!(spread_wait(3_600_000, 0.0), 3_600_000);
        assert_eq!(spread_wait(3_600_000, 0.5), 3_601_500);
        assert_eq!((gap(0.0), gap(0.5)), (20, 60));
    }
}
