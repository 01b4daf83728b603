//! The clock of a run, which is its only source of time.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use loopwright_driver::Clock;
use uuid::{NoContext, Timestamp, Uuid};

/// Returns the milliseconds since the Unix epoch, UTC. The value is negative if the computer's clock is set before 1970.
pub fn now() -> i64 {
    millis(SystemTime::now())
}

fn millis(at: SystemTime) -> i64 {
    let number = |since: Duration| i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => number(since),
        Err(before) => -number(before.duration()),
    }
}

/// Returns a clock that reads the computer's clock once and then adds the elapsed time. If somebody sets the computer's
/// clock, the run's time does not go backwards and its durations stay right. `ahead`, in milliseconds, is added to the
/// computer's time.
pub(crate) fn steady(ahead: i64) -> Clock {
    let (wall, begun) = (now().saturating_add(ahead), Instant::now());
    Arc::new(move || {
        let since = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        wall.saturating_add(since)
    })
}

/// Returns a new id. Ids sort by the time of their creation.
pub fn new_id() -> String {
    id_at(now())
}

fn id_at(millis: i64) -> String {
    // An id cannot contain a time before 1970. For such a time, the functions of `uuid` that read the clock themselves
    // panic.
    let millis = u64::try_from(millis).unwrap_or(0);
    let nanos = u32::try_from(millis % 1_000).unwrap_or(0) * 1_000_000;
    Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1_000, nanos)).to_string()
}

/// Converts a number, usually of milliseconds, to the `u32` that the window receives. Larger numbers become `u32::MAX`.
pub fn clip(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_no_reason_to_panic() {
        let before = UNIX_EPOCH - Duration::from_secs(86_400);
        assert_eq!(millis(before), -86_400_000);
        let (one, other) = (id_at(millis(before)), id_at(millis(before)));
        assert!(one.starts_with("00000000-0000-7"), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn later_ids_sort_behind_earlier_ones() {
        let ids: Vec<String> = [1, 999, 1_000, 1_700_000_000_123, 1_700_000_000_124]
            .map(id_at)
            .to_vec();
        assert!(ids.is_sorted(), "{ids:?}");
    }

    #[test]
    fn a_steady_clock_never_goes_back() {
        let clock = steady(0);
        let times: Vec<i64> = (0..1_000).map(|_| clock()).collect();
        assert!(times.is_sorted());
        assert!((times[0] - now()).abs() < 60_000);
    }
}
