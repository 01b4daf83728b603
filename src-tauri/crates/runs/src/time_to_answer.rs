//! The time left to answer a question.

use std::time::Duration;

use loopwright_engine::{RunStatus, journal::RunState};

/// Returns the time until the next question of a waiting run expires, at `now` (milliseconds since the Unix epoch, UTC).
/// Returns zero if it has expired, and `None` if the run does not wait or its questions never expire.
pub fn time_to_answer(state: &RunState, now: i64) -> Option<Duration> {
    let at = state
        .expires_at
        .filter(|_| state.status == RunStatus::Waiting)?;
    let left = u64::try_from(at.saturating_sub(now)).unwrap_or(0);
    Some(Duration::from_millis(left))
}
